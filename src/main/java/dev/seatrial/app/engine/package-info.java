/**
 * Temporal: the embedded engine over an in-process channel, the workers with their three queues, and the activities that
 * read offers and keep rows. The SDK is wired by hand.
 */
@NullMarked
package dev.seatrial.app.engine;

import org.jspecify.annotations.NullMarked;
