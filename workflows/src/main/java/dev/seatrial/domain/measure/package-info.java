/** Measurements, references, findings, verdicts, coverage and the multi-GPU gate. */
@NullMarked
package dev.seatrial.domain.measure;

import org.jspecify.annotations.NullMarked;
