package dev.seatrial.app.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/** The borders of the modules and of the application's packages. */
@AnalyzeClasses(packages = "dev.seatrial", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String APP = "dev.seatrial.app";

    private static final DescribedPredicate<JavaClass> FLOATING = new DescribedPredicate<>("a floating-point number") {
        @Override
        public boolean test(JavaClass c) {
            return c.isEquivalentTo(double.class)
                    || c.isEquivalentTo(float.class)
                    || c.isEquivalentTo(Double.class)
                    || c.isEquivalentTo(Float.class);
        }
    };

    @ArchTest
    static final ArchRule whatAVendorIsNeedsNoLibrary = classes()
            .that()
            .resideInAPackage("dev.seatrial.provider..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "dev.seatrial.provider..", "org.joda.money..", "org.jspecify..");

    @ArchTest
    static final ArchRule whatATrialIsDoesNoInputOrOutput = noClasses()
            .that()
            .resideInAnyPackage("dev.seatrial.domain..", "dev.seatrial.workflow..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.seatrial.app..",
                    "dev.seatrial.vendors..",
                    "dev.seatrial.simulator..",
                    "java.net..",
                    "java.nio.file..",
                    "java.sql..",
                    "javax.sql..",
                    "okhttp3..",
                    "org.apache.sshd..",
                    "org.jdbi..");

    @ArchTest
    static final ArchRule theDomainKnowsNoWorkflow = noClasses()
            .that()
            .resideInAPackage("dev.seatrial.domain..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.seatrial.workflow..", "io.temporal..");

    @ArchTest
    static final ArchRule vendorsKnowNothingOfEachOther = slices().matching("dev.seatrial.vendors.(*)..")
            .that(new DescribedPredicate<>("are vendors") {
                @Override
                public boolean test(com.tngtech.archunit.library.dependencies.Slice slice) {
                    return !slice.getNamePart(1).equals("http");
                }
            })
            .should()
            .notDependOnEachOther();

    @ArchTest
    static final ArchRule vendorsKnowNothingOfTrials = noClasses()
            .that()
            .resideInAPackage("dev.seatrial.vendors..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.seatrial.app..",
                    "dev.seatrial.workflow..",
                    "dev.seatrial.domain..",
                    "dev.seatrial.simulator..");

    /** The judge shares no code with the judged. */
    @ArchTest
    static final ArchRule theSimulatorKnowsNothingOfTheProduct = noClasses()
            .that()
            .resideInAPackage("dev.seatrial.simulator..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.seatrial.app..",
                    "dev.seatrial.vendors..",
                    "dev.seatrial.provider..",
                    "dev.seatrial.workflow..",
                    "dev.seatrial.domain..");

    @ArchTest
    static final ArchRule partsAreWiredInOnePlace = noClasses()
            .that()
            .resideInAPackage(APP + ".*..")
            .and()
            .resideOutsideOfPackage(APP + ".cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(APP);

    @ArchTest
    static final ArchRule theLedgerIsReachedThroughItsPort = noClasses()
            .that()
            .resideOutsideOfPackages(APP, APP + ".ledger..")
            .should()
            .dependOnClassesThat(new DescribedPredicate<>("implement the ledger") {
                @Override
                public boolean test(JavaClass c) {
                    // Who owns the data directory is asked by commands before there is a ledger.
                    return c.getPackageName().startsWith(APP + ".ledger")
                            && !c.getName().startsWith(APP + ".ledger.HomeLock");
                }
            });

    @ArchTest
    static final ArchRule databasesAreOpenedByTheLedgerAlone = noClasses()
            .that()
            .resideOutsideOfPackage(APP + ".ledger..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..", "org.jdbi..", "org.flywaydb..", "com.zaxxer..");

    @ArchTest
    static final ArchRule onlyWhatDoesTheWorkRunsWorkflows = noClasses()
            .that()
            .resideInAPackage(APP + "..")
            .and()
            .resideOutsideOfPackages(APP, APP + ".engine..", APP + ".lease..", APP + ".remote..", APP + ".service..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.temporal..");

    @ArchTest
    static final ArchRule releasesNeedNeitherScreensNorStages = noClasses()
            .that()
            .resideInAnyPackage(APP + ".lease..", APP + ".sweep..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    APP + ".bench..", APP + ".cli..", APP + ".control..", APP + ".report..", APP + ".service..");

    @ArchTest
    static final ArchRule sweepsNeedNoEngine = noClasses()
            .that()
            .resideInAPackage(APP + ".sweep..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.temporal..", APP + ".engine..");

    @ArchTest
    static final ArchRule reportsOnlyRead = noClasses()
            .that()
            .resideInAPackage(APP + ".report..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    APP + ".cli..", APP + ".engine..", APP + ".lease..", APP + ".remote..", APP + ".sweep..");

    @ArchTest
    static final ArchRule loggingGoesThroughOneDoor = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule onlyCommandsPrint =
            noClasses().that().resideOutsideOfPackage(APP + ".cli..").should(ACCESS_STANDARD_STREAMS);

    /** The only share of anything there is how far a stage has come. */
    @ArchTest
    static final ArchRule moneyIsNeverFloating = fields().that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(
                    "dev.seatrial.provider..",
                    "dev.seatrial.domain.money..",
                    "dev.seatrial.domain.ledger..",
                    APP + ".lease..",
                    APP + ".ledger..")
            .and()
            .doNotHaveName("progress")
            .should()
            .notHaveRawType(FLOATING);

    @ArchTest
    static final ArchRule moneyIsNeverComputedFloating = methods()
            .that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(
                    "dev.seatrial.provider..", "dev.seatrial.domain.money..", APP + ".lease..", APP + ".ledger..")
            .and()
            .doNotHaveName("progress")
            .should()
            .notHaveRawReturnType(FLOATING);

    @ArchTest
    static final ArchRule noSharedMutableState = fields().that()
            .areStatic()
            .and()
            .areNotFinal()
            .should(new ArchCondition<>("not exist") {
                @Override
                public void check(com.tngtech.archunit.core.domain.JavaField field, ConditionEvents events) {
                    events.add(SimpleConditionEvent.violated(field, field.getFullName() + " can be reassigned"));
                }
            })
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .that()
            .areTopLevelClasses()
            .should(new ArchCondition<>("be in a package whose package-info is @NullMarked") {
                @Override
                public void check(JavaClass c, ConditionEvents events) {
                    if (!c.getPackage().isAnnotatedWith(NullMarked.class)) {
                        events.add(SimpleConditionEvent.violated(c, c.getPackageName() + " is not @NullMarked"));
                    }
                }
            });
}
