package dev.seatrial.domain.plan;

import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * What the team is about to sign, as the vendor quotes it.
 *
 * @param month price of one month
 * @param months months, at least 1
 * @param deposit paid in advance, if any
 * @param penalty in the contract's words, e.g. {@code 2 months}
 * @param tax {@code included} or {@code excluded}
 */
public record Contract(
        BigMoney month, int months, Optional<BigMoney> deposit, Optional<String> penalty, Optional<String> tax) {}
