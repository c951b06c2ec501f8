package dev.seatrial.workflow;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workflow code is replayed: it may not see the world, the clock or chance, and there is nothing here to see it with. */
@AnalyzeClasses(packages = "dev.seatrial", importOptions = ImportOption.DoNotIncludeTests.class)
class WorkflowRulesTest {
    /** Serialisers must declare what the library throws. */
    private static final String SERIALISATION = Payloads.class.getName();

    @ArchTest
    static final ArchRule nothingReadsOrWrites = noClasses()
            .that(resideInAPackage("dev.seatrial..")
                    .and(describe("write no payloads", c -> !c.getName().startsWith(SERIALISATION))))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.nio..", "java.net..", "java.sql..", "javax.net..");

    @ArchTest
    static final ArchRule payloadsOnlyDeclareWhatTheLibraryThrows = noClasses()
            .that(describe("write payloads", c -> c.getName().startsWith(SERIALISATION)))
            .should()
            .dependOnClassesThat(describe(
                    "read or write",
                    c -> (c.getPackageName().startsWith("java.io")
                                    || c.getPackageName().startsWith("java.nio")
                                    || c.getPackageName().startsWith("java.net"))
                            && !Set.of("java.io.IOException", "java.io.Serializable")
                                    .contains(c.getName())));

    @ArchTest
    static final ArchRule noThreadsOfOurOwn = noClasses()
            .that()
            .resideInAPackage("dev.seatrial.workflow..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.util.concurrent..")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class);

    @ArchTest
    static final ArchRule noClockAndNoChance = noClasses()
            .that()
            .resideInAPackage("dev.seatrial..")
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(LocalDate.class, "now")
            .orShould()
            .callMethod(LocalDateTime.class, "now")
            .orShould()
            .callMethod(ZonedDateTime.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(UUID.class, "randomUUID")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(java.util.Random.class);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "okhttp3.OkHttpClient",
                "org.apache.sshd.client.SshClient",
                "org.sqlite.JDBC",
                "org.postgresql.Driver",
                "com.zaxxer.hikari.HikariDataSource",
                "org.jdbi.v3.core.Jdbi"
            })
    void thereIsNoLibraryHereToReachTheWorldWith(String type) {
        assertThatThrownBy(() -> Class.forName(type)).isInstanceOf(ClassNotFoundException.class);
    }
}
