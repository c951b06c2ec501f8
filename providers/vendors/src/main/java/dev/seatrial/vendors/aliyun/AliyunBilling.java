package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Charge;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.http.Lane;
import java.math.RoundingMode;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;
import org.joda.money.Money;

/**
 * The vendor's billing service (BSS, 2017-12-14): QueryAccountBalance and DescribeInstanceBill as its help pages show them. Says yes with
 * {@code "Success": true} beside a code.
 */
final class AliyunBilling implements AutoCloseable {
    /** A bill's month is the vendor's own; unverified. */
    private static final ZoneId BILLED_IN = ZoneId.of("Asia/Shanghai");

    private static final int MOST_PAGES = 200;

    private final AliyunSettings settings;
    private final AliyunApi api;

    AliyunBilling(AliyunSettings settings) {
        this.settings = settings;
        this.api = new AliyunApi(
                settings.id().value(), settings.billingUrl(), "2017-12-14", settings.credentials(), settings.clock());
    }

    /** What can be spent, with the credit line; empty when the key may not see it. */
    Optional<Money> balance() {
        try {
            JsonNode data = data("QueryAccountBalance", Map.of());
            return Optional.of(
                    AliyunMapper.money(data.path("AvailableAmount"), AliyunMapper.text(data.path("Currency")))
                            .toMoney(RoundingMode.FLOOR));
        } catch (ProviderException e) {
            if (e.kind() == ErrorKind.PERMISSION) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Of this month and the one before. Never complete: bills are split to instances about a day late. */
    Optional<Charge> cost(String vendorId) {
        YearMonth month = YearMonth.from(settings.clock().instant().atZone(BILLED_IN));
        Optional<BigMoney> sum = Optional.empty();
        for (YearMonth cycle : List.of(month.minusMonths(1), month)) {
            Map<String, String> query = new LinkedHashMap<>();
            query.put("BillingCycle", cycle.toString());
            query.put("InstanceID", vendorId);
            query.put("MaxResults", "300");
            Set<String> seen = new HashSet<>();
            for (boolean more = true; more; ) {
                JsonNode data = data("DescribeInstanceBill", query);
                if (!data.path("Items").isArray()) {
                    throw AliyunMapper.odd("a bill without items");
                }
                for (JsonNode item : data.path("Items")) {
                    BigMoney amount =
                            AliyunMapper.money(item.path("PretaxAmount"), AliyunMapper.text(item.path("Currency")));
                    sum = Optional.of(sum.map(s -> s.plus(amount)).orElse(amount));
                }
                String next = AliyunMapper.text(data.path("NextToken"));
                more = !next.isEmpty() && seen.add(next) && seen.size() < MOST_PAGES;
                query.put("NextToken", next);
            }
        }
        return sum.map(amount -> new Charge(amount, false));
    }

    private JsonNode data(String action, Map<String, String> query) {
        JsonNode document = api.read(Lane.READ, action, query);
        if (!document.path("Success").asBoolean(false) || !document.path("Data").isObject()) {
            throw AliyunMapper.odd("no data (" + action + ")");
        }
        return document.path("Data");
    }

    @Override
    public void close() {
        api.close();
    }
}
