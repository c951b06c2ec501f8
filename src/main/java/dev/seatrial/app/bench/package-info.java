/** GPU identities, references, the verdict policy and their application to what a stage reported. */
@NullMarked
package dev.seatrial.app.bench;

import org.jspecify.annotations.NullMarked;
