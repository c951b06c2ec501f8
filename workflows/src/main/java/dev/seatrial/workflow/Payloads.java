package dev.seatrial.workflow;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.Money;

/**
 * How values are written into workflow histories and into the ledger. Histories outlive a release, so this form is a
 * contract: money as {@code "CNY 12.5"}, currencies by their codes, instants and durations in ISO 8601, map keys in order, unknown fields ignored so
 * that an older process can read what a newer one wrote.
 */
public final class Payloads {
    private Payloads() {}

    /** A new mapper; callers may keep and share it, it is thread-safe once configured. */
    public static ObjectMapper mapper() {
        return JsonMapper.builder()
                .addModules(new Jdk8Module(), new JavaTimeModule(), money())
                .disable(
                        SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                        SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .disable(
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .build();
    }

    private static SimpleModule money() {
        SimpleModule module = new SimpleModule("seatrial-money");
        module.addSerializer(BigMoney.class, new TextSerializer<>(BigMoney.class));
        module.addSerializer(Money.class, new TextSerializer<>(Money.class));
        module.addSerializer(CurrencyUnit.class, new TextSerializer<>(CurrencyUnit.class));
        module.addDeserializer(CurrencyUnit.class, new FromStringDeserializer<CurrencyUnit>(CurrencyUnit.class) {
            @Override
            protected CurrencyUnit _deserialize(String text, DeserializationContext context) {
                return CurrencyUnit.of(text);
            }
        });
        module.addDeserializer(BigMoney.class, new FromStringDeserializer<BigMoney>(BigMoney.class) {
            @Override
            protected BigMoney _deserialize(String text, DeserializationContext context) {
                return BigMoney.parse(text);
            }
        });
        module.addDeserializer(Money.class, new FromStringDeserializer<Money>(Money.class) {
            @Override
            protected Money _deserialize(String text, DeserializationContext context) {
                return Money.parse(text);
            }
        });
        return module;
    }

    private static final class TextSerializer<T> extends StdSerializer<T> {
        private static final long serialVersionUID = 1L;

        TextSerializer(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(value.toString());
        }
    }
}
