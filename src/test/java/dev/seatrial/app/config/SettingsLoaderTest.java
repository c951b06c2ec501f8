package dev.seatrial.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.seatrial.domain.money.SpendLimits;
import dev.seatrial.vendors.VendorFactory.Setting;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsLoaderTest {
    private static final Map<String, List<Setting>> KINDS = Map.of(
            "cloudy",
            List.of(Setting.key("apiKey", "API key"), Setting.optional("url", "base URL")),
            "ssh",
            List.of(
                    Setting.required("host", "name or address"),
                    Setting.optional("port", "port"),
                    Setting.optionalSecret("password", "password"),
                    Setting.optional("jump.host", "jump host"),
                    Setting.optional("jump.port", "its port")));

    @TempDir
    Path dir;

    private final Map<String, String> environment = new HashMap<>();

    private SettingsLoader loader() {
        environment.putIfAbsent("SEATRIAL_HOME", dir.resolve("home").toString());
        return new SettingsLoader(environment, dir, KINDS, Locale.ENGLISH);
    }

    private Settings load(String yaml) throws IOException {
        return loader().load(Optional.of(Files.writeString(dir.resolve("config.yaml"), yaml)));
    }

    private List<String> problems(String yaml) {
        ProblemsException e = catchThrowableOfType(ProblemsException.class, () -> load(yaml));
        assertThat(e).as("must be refused").isNotNull();
        return e.problems().stream()
                .map(p -> p.toString().replace(dir + "/", ""))
                .toList();
    }

    @Test
    void nothingIsNeeded() throws IOException {
        Settings settings = loader().load(Optional.empty());
        assertThat(settings.providers()).isEmpty();
        assertThat(settings.home()).isEqualTo(dir.resolve("home"));
        assertThat(settings.file()).isEqualTo(dir.resolve(".config/seatrial/config.yaml"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings.home())))
                .isEqualTo("rwx------");
    }

    @Test
    void anEmptyFileIsFineAndTheDefaultHomeIsUnderTheUsers() throws IOException {
        environment.put("SEATRIAL_HOME", "");
        assertThat(load("# nothing yet\n").home()).isEqualTo(dir.resolve(".local/share/seatrial"));
    }

    @Test
    void accountsAreReadInOrderWithNestedNamesFlattened() throws IOException {
        Settings settings = load("""
                providers:
                  zebra: { kind: cloudy, apiKey: env:ZEBRA_KEY, url: "http://127.0.0.1:9/" }
                  alpha:
                    kind: ssh
                    host: 10.0.0.1
                    port: 2222
                    password: file:~/pw
                    jump: { host: gate, port: 22 }
                """);
        assertThat(settings.providers().keySet()).containsExactly("zebra", "alpha");
        assertThat(settings.providers().get("alpha"))
                .containsEntry("kind", "ssh")
                .containsEntry("port", "2222")
                .containsEntry("password", "file:~/pw")
                .containsEntry("jump.host", "gate");
    }

    @Test
    void wrongSettingsAreToldWithTheirPlace() {
        assertThat(problems("""
                providers:
                  a: { kind: clowdy, apiKey: env:X }
                  B!: { kind: ssh, host: h }
                  c: { kind: ssh, hots: h }
                  d: { kind: cloudy }
                  e: { url: x }
                  f: { kind: ssh, host: h, jump: gate }
                  g: { kind: ssh, host: [1] }
                provider: {}
                """))
                .containsExactly(
                        "config.yaml:2:14: providers.a.kind: no kind of vendor is called clowdy (did you mean cloudy?)",
                        "config.yaml:3:3: providers.B!: a name has 1 to 40 of a-z, 0-9 and - (for example my-vendor)",
                        "config.yaml:4:3: providers.c: host is missing (name or address)",
                        "config.yaml:4:19: providers.c.hots: unknown field (did you mean host?)",
                        "config.yaml:5:3: providers.d: apiKey is missing (apiKey: env:NAME or file:PATH)",
                        "config.yaml:6:3: providers.e.kind: is missing (one of cloudy, ssh)",
                        "config.yaml:7:28: providers.f.jump: holds further fields"
                                + " (fields here: host, port, password, jump.host, jump.port)",
                        "config.yaml:8:25: providers.g.host: must be one value (name or address)",
                        "config.yaml:9:1: provider: unknown field (fields here: providers, limits, references, policy)");
    }

    @Test
    void aSecretInTheFileIsRefusedAndNeverRepeated() {
        List<String> problems = problems("providers:\n  my-cloud: { kind: cloudy, apiKey: sk-12345 }\n");
        assertThat(problems)
                .containsExactly("config.yaml:2:37: providers.my-cloud.apiKey: a secret must not stand in this file"
                        + " (write env:MY_CLOUD_API_KEY and set that variable, or file:PATH)");
        assertThat(problems.toString()).doesNotContain("sk-12345");
    }

    @Test
    void aNamedFileMustExist() {
        ProblemsException e = catchThrowableOfType(
                ProblemsException.class, () -> loader().load(Optional.of(dir.resolve("none.yaml"))));
        assertThat(e).hasMessageEndingWith("none.yaml: no such file");
    }

    @Test
    void anUnusableDataDirectoryIsToldPlainly() throws IOException {
        Path file = Files.writeString(dir.resolve("a-file"), "x");
        environment.put("SEATRIAL_HOME", file.toString());
        assertThatThrownBy(() -> loader().load(Optional.empty())).hasMessageContaining("the data directory is a file");

        environment.put("SEATRIAL_HOME", "/proc/seatrial");
        assertThatThrownBy(() -> loader().load(Optional.empty()))
                .isInstanceOf(ProblemsException.class)
                .hasMessageContaining("SEATRIAL_HOME");
    }

    @Test
    void aSharedDirectoryIsNotShutButAnOldOneOfOursIs() throws IOException {
        Path shared = Files.createDirectory(dir.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(shared.resolve("holiday.jpg"), "x");
        environment.put("SEATRIAL_HOME", shared.toString());
        assertThatThrownBy(() -> loader().load(Optional.empty())).hasMessageContaining("open to other users");

        Files.writeString(shared.resolve("ledger.db"), "x");
        loader().load(Optional.empty());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(shared)))
                .isEqualTo("rwx------");
    }

    @Test
    void secretsAreReadWhereTheyAreKept() throws IOException {
        Files.writeString(dir.resolve("key"), "  s3cret\n");
        Secrets secrets = new Secrets(Map.of("MY_KEY", "abc"), dir);
        assertThat(secrets.resolve("env:MY_KEY")).isEqualTo("abc");
        assertThat(secrets.resolve("file:~/key")).isEqualTo("s3cret");
        assertThatThrownBy(() -> secrets.resolve("env:OTHER")).hasMessage("the environment variable OTHER is not set");
        assertThatThrownBy(() -> secrets.resolve("file:~/none")).hasMessageContaining("there is no secret file");
        assertThatThrownBy(() -> secrets.resolve("abc")).hasMessage("a secret must be env:NAME or file:PATH");
        assertThat(secrets.toString()).doesNotContain("abc");
    }

    @Test
    void limitsOverAllEvaluationsAreRead() throws IOException {
        SpendLimits limits = load("""
                providers:
                  one: { kind: cloudy, apiKey: env:KEY }
                limits:
                  currency: CNY
                  zone: Asia/Shanghai
                  fx: { USD: 7.10 }
                  day: 200
                  month: 3000.50
                  accounts:
                    one: { day: 20, month: 100, keepBalance: 50 }
                    sim-steady: 300
                """).limits().orElseThrow();

        assertThat(limits.zone()).isEqualTo(ZoneId.of("Asia/Shanghai"));
        assertThat(limits.fx()).containsEntry("USD", new BigDecimal("7.1"));
        assertThat(limits.limits())
                .extracting(l -> l.account().orElse("all") + " " + l.period() + " " + l.amount())
                .containsExactly(
                        "all DAY CNY 200",
                        "all MONTH CNY 3000.50",
                        "one DAY CNY 20",
                        "one MONTH CNY 100",
                        "one BALANCE CNY 50",
                        "sim-steady MONTH CNY 300");
        assertThat(load("providers: {}\n").limits()).isEmpty();
    }

    @Test
    void everyMistakeInLimitsIsToldWithItsPlace() {
        assertThat(problems("""
                providers:
                  one: { kind: cloudy, apiKey: env:KEY }
                limits:
                  currency: CNY
                  zone: Asia/Shangai
                  days: 3
                  day: -1
                  month: 3.001
                  fx: { USD: 0, XX: 1 }
                  accounts:
                    ono: 3
                    one: { keepbalance: 5, day: much }
                """))
                .containsExactly(
                        "config.yaml:5:9: limits.zone: is no time zone (for example Asia/Shanghai)",
                        "config.yaml:6:3: limits.days: unknown field (did you mean day?)",
                        "config.yaml:7:8: limits.day: must be an amount of 0 or more in CNY, with at most 2 decimal places",
                        "config.yaml:8:10: limits.month: must be an amount of 0 or more in CNY, with at most 2 decimal places",
                        "config.yaml:9:14: limits.fx.USD: must be the price of one unit of that currency in CNY, above 0",
                        "config.yaml:9:17: limits.fx.XX: must be the code of a currency, such as CNY or USD",
                        "config.yaml:11:5: limits.accounts.ono: no account is called ono (did you mean one?)",
                        "config.yaml:12:12: limits.accounts.one.keepbalance: unknown field (did you mean keepBalance?)",
                        "config.yaml:12:33: limits.accounts.one.day: must be an amount of 0 or more in CNY, with at most 2"
                                + " decimal places (an amount per month, or day, month, keepBalance)");
        assertThat(problems("limits: { day: 3 }\n"))
                .containsExactly(
                        "config.yaml:1:9: limits.currency: says in what currency the limits are (currency: CNY)");
    }
}
