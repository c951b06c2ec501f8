@org.jspecify.annotations.NullMarked
package dev.seatrial.app.payload;
