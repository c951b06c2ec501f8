/** SEATRIAL_HOME, the configuration file, secrets by reference. */
@NullMarked
package dev.seatrial.app.config;

import org.jspecify.annotations.NullMarked;
