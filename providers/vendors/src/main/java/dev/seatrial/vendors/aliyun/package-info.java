/**
 * Alibaba Cloud: Elastic Compute Service (RPC API 2014-05-26) and the balance and bills of its billing service (2017-12-14).
 *
 * <p>Facts are from the vendor's parameter descriptions and help pages unless marked <em>unverified</em>: those are what is
 * generally known of the API, and no live call has shown them yet.
 */
@NullMarked
package dev.seatrial.vendors.aliyun;

import org.jspecify.annotations.NullMarked;
