package dev.seatrial.vendors;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * A test against a vendor's own description of its API. The descriptions are not part of the project: {@code SEATRIAL_SPECS} names
 * the folder that holds them. Without it the test is skipped; a file that is missing in it fails the test. Classes of such tests
 * are called {@code …SpecTest}, so that what was skipped can be counted.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("spec")
@Test
@EnabledIfEnvironmentVariable(
        named = "SEATRIAL_SPECS",
        matches = ".+",
        disabledReason = "SEATRIAL_SPECS names no folder of API descriptions")
public @interface SpecTest {}
