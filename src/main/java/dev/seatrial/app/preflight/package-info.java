/** What can be told before anything is rented: accounts, offers, price, worst case, time. */
@NullMarked
package dev.seatrial.app.preflight;

import org.jspecify.annotations.NullMarked;
