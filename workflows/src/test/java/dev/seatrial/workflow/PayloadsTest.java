package dev.seatrial.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.seatrial.domain.plan.Limits;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import io.temporal.api.common.v1.Payload;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.common.converter.JacksonJsonPayloadConverter;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.joda.money.BigMoney;
import org.joda.money.CurrencyUnit;
import org.joda.money.Money;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes into a history must come out of it unchanged, for every record there is. */
class PayloadsTest {
    private static final List<String> PACKAGES = List.of(
            "dev.seatrial.workflow",
            "dev.seatrial.domain.plan",
            "dev.seatrial.domain.measure",
            "dev.seatrial.domain.ledger",
            "dev.seatrial.domain.money",
            "dev.seatrial.provider");

    private final ObjectMapper mapper = Payloads.mapper();
    private final DefaultDataConverter temporal = DefaultDataConverter.newDefaultInstance()
            .withPayloadConverterOverrides(new JacksonJsonPayloadConverter(mapper));

    /** From directories and from jars alike: a full build tests against jars. */
    static List<Class<?>> records() {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(PACKAGES).stream()
                        .filter(c -> PACKAGES.contains(c.getPackageName()))
                        .map(JavaClass::reflect)
                        // What is not public never leaves its workflow.
                        .filter(type -> type.isRecord() && isPublic(type))
                        .sorted(Comparator.comparing(Class::getName))
                        .collect(Collectors.toList());
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }

    @Test
    void everyPackageIsLookedAt() {
        assertThat(records()).hasSizeGreaterThan(50).contains(Plan.class, TrialInput.class, Limits.class);
    }

    @ParameterizedTest
    @MethodSource("records")
    void comesBackUnchanged(Class<?> type) throws IOException {
        for (boolean full : new boolean[] {true, false}) {
            Object value = sample(type, full);
            String json = mapper.writeValueAsString(value);
            assertThat(mapper.readValue(json, type)).as(json).isEqualTo(value);

            Payload payload = temporal.toPayload(value).orElseThrow();
            Object back = temporal.fromPayload(payload, type, type);
            assertThat(back).isEqualTo(value);
        }
    }

    @Test
    void listsOfRecordsComeBack() throws IOException {
        List<Object> value = List.of(sample(TrialOutcome.class, true), sample(TrialOutcome.class, false));
        JavaType type = mapper.getTypeFactory().constructCollectionType(List.class, TrialOutcome.class);
        Object back = mapper.readValue(mapper.writeValueAsString(value), type);
        assertThat(back).isEqualTo(value);
    }

    @Test
    void moneyIsTextWithItsScaleKept() throws IOException {
        assertThat(mapper.writeValueAsString(BigMoney.parse("CNY 12.5"))).isEqualTo("\"CNY 12.5\"");
        assertThat(mapper.readValue("\"CNY 12.500000\"", BigMoney.class).getScale())
                .isEqualTo(6);
        assertThat(mapper.writeValueAsString(Money.of(CurrencyUnit.USD, 3))).isEqualTo("\"USD 3.00\"");
        assertThatThrownBy(() -> mapper.readValue("\"12.5\"", BigMoney.class))
                .isInstanceOf(InvalidFormatException.class);
    }

    @Test
    void timesAreReadableAndExact() throws IOException {
        Instant at = Instant.parse("2026-03-01T02:03:04.123456789Z");
        assertThat(mapper.writeValueAsString(at)).isEqualTo("\"2026-03-01T02:03:04.123456789Z\"");
        assertThat(mapper.writeValueAsString(Duration.ofMinutes(90))).isEqualTo("\"PT1H30M\"");
    }

    @Test
    void mapKeysAreInOrderAndWords() throws IOException {
        Limits limits = new Limits(
                Duration.ofMinutes(1),
                Duration.ofHours(1),
                Optional.empty(),
                Map.of(StageName.TASK, Duration.ofSeconds(2), StageName.COMPUTE, Duration.ofSeconds(1)),
                Optional.empty());
        assertThat(mapper.writeValueAsString(limits)).contains("\"stages\":{\"compute\":\"PT1S\",\"task\":\"PT2S\"}");
    }

    @Test
    void fieldsOfANewerVersionAreIgnoredAndMissingOptionalsAreEmpty() throws IOException {
        String json = "{\"lease\":\"l1\",\"provider\":\"p\",\"name\":\"n\",\"colour\":\"blue\"}";
        assertThat(mapper.readValue(json, LeaseHandle.class))
                .isEqualTo(new LeaseHandle("l1", "p", "n", Optional.empty(), Optional.empty()));
    }

    private static Object sample(Class<?> type, boolean full) {
        RecordComponent[] parts = type.getRecordComponents();
        Object[] values =
                Arrays.stream(parts).map(p -> value(p.getGenericType(), full)).toArray();
        try {
            return type.getDeclaredConstructor(
                            Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new))
                    .newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no sample of " + type, e);
        }
    }

    private static Object value(Type type, boolean full) {
        if (type instanceof ParameterizedType generic) {
            List<Type> args = List.of(generic.getActualTypeArguments());
            Type raw = generic.getRawType();
            if (raw == Optional.class) {
                return full ? Optional.of(value(args.get(0), true)) : Optional.empty();
            } else if (raw == List.class) {
                return full ? List.of(value(args.get(0), true)) : List.of();
            } else if (raw == Set.class) {
                return full ? Set.of(value(args.get(0), true)) : Set.of();
            } else if (raw == Map.class) {
                return full ? Map.of(value(args.get(0), true), value(args.get(1), true)) : Map.of();
            }
        } else if (type instanceof Class<?> plain) {
            if (plain == String.class) {
                return "abc123";
            } else if (plain == int.class || plain == Integer.class) {
                return 2;
            } else if (plain == long.class) {
                return 1_234_567_890_123L;
            } else if (plain == double.class || plain == Double.class) {
                return 0.004;
            } else if (plain == boolean.class) {
                return full;
            } else if (plain == Instant.class) {
                // A lease name holds whole seconds.
                return Instant.parse("2026-03-01T02:03:04Z");
            } else if (plain == Duration.class) {
                return Duration.ofMillis(90_500);
            } else if (plain == BigDecimal.class) {
                return new BigDecimal("7.10");
            } else if (plain == BigMoney.class) {
                return BigMoney.parse("CNY 12.500000");
            } else if (plain == CurrencyUnit.class) {
                return CurrencyUnit.of("CNY");
            } else if (plain == ZoneId.class) {
                return ZoneId.of("Asia/Shanghai");
            } else if (plain.isEnum()) {
                return plain.getEnumConstants()[plain.getEnumConstants().length - 1];
            } else if (plain.isRecord()) {
                return sample(plain, full);
            } else if (plain == java.util.OptionalInt.class) {
                return full ? java.util.OptionalInt.of(3) : java.util.OptionalInt.empty();
            }
        }
        throw new IllegalStateException("no sample of " + type);
    }
}
