/**
 * What a vendor is: one small interface ({@link dev.seatrial.provider.Provider}) and the values that cross it. No I/O.
 *
 * <p>Data flows one way: an {@link dev.seatrial.provider.Offer} is chosen, a
 * {@link dev.seatrial.provider.CreateRequest} is built from it after the ledger has granted the money, the answer is a
 * {@link dev.seatrial.provider.CreateOutcome}; from then on everything goes by {@link dev.seatrial.provider.LeaseName}
 * and {@link dev.seatrial.provider.InstanceId} until the instance is proven gone.
 */
@NullMarked
package dev.seatrial.provider;

import org.jspecify.annotations.NullMarked;
