/**
 * Tencent Cloud: Cloud Virtual Machine (CVM, API 2017-03-12), and the balance of its billing service (2018-07-09).
 *
 * <p>Facts are from the vendor's own API model, its SDK's list of error codes and its help pages unless marked
 * <em>unverified</em>: those are what is generally known of the API, and no live call has shown them yet.
 */
@NullMarked
package dev.seatrial.vendors.tencent;

import org.jspecify.annotations.NullMarked;
