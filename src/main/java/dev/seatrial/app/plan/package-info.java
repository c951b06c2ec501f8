/** Plan files: reading, schema, errors with line and column. */
@NullMarked
package dev.seatrial.app.plan;

import org.jspecify.annotations.NullMarked;
