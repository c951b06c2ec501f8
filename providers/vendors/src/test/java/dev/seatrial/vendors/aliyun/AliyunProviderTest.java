package dev.seatrial.vendors.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.seatrial.provider.Availability;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.DeadlineOutcome;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferId;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.PublicKey;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.VendorDouble.Call;
import dev.seatrial.vendors.VendorDouble.Mishap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.joda.money.BigMoney;
import org.joda.money.Money;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is this vendor's own, beside the contract of all. */
class AliyunProviderTest {
    private final AliyunDouble vendor = new AliyunDouble("cn-beijing, cn-shanghai");
    private final Provider provider = vendor.provider();

    @AfterEach
    void close() {
        vendor.close();
    }

    private InstanceId created(int number) {
        return ((CreateOutcome.Created) provider.create(vendor.request(number))).id();
    }

    private static String own(InstanceId id) {
        return id.value().substring(id.value().indexOf('/') + 1);
    }

    private static ProviderException thrown(ThrowingCallable call) {
        return catchThrowableOfType(ProviderException.class, call);
    }

    @Test
    void anInstanceIsCreatedWithEverythingThatEndsItAndNamesIt() {
        InstanceId id = created(1);
        String name = vendor.request(1).name().text();
        assertThat(vendor.asked(own(id)))
                .containsEntry("InstanceName", name)
                .containsEntry("ClientToken", "token-1")
                .containsEntry("Tag.1.Key", "seatrial")
                .containsEntry("Tag.1.Value", name)
                .containsEntry("KeyPairName", name)
                .containsEntry("AutoReleaseTime", "2026-05-04T11:00:00Z")
                .containsEntry("VSwitchId", "vsw-2zetest")
                .containsEntry("SecurityGroupId", "sg-2zetest")
                .containsEntry("InstanceChargeType", "PostPaid")
                .containsEntry("Amount", "1")
                .containsEntry("UserData", "IyEvYmluL3NoCnRydWUK");
    }

    @Test
    void everyRegionIsListedAndAnIdSaysWhichItIsIn() {
        InstanceId north = created(1);
        CreateRequest one = vendor.request(2);
        CreateRequest there = new CreateRequest(
                one.name(),
                one.token(),
                new OfferId("cn-shanghai/cn-shanghai-l/ecs.gn7e-c16g1.4xlarge"),
                one.image(),
                one.key(),
                one.publicKey(),
                one.startupData(),
                one.deadline());
        InstanceId south = ((CreateOutcome.Created) provider.create(there)).id();
        assertThat(north.value()).startsWith("cn-beijing/i-");
        assertThat(south.value()).startsWith("cn-shanghai/i-");
        assertThat(provider.list()).extracting(Instance::id).containsExactly(north, south);
        // As it is in the vendor's console: looked for everywhere.
        assertThat(provider.get(new InstanceId(own(south)))).map(Instance::id).contains(south);
        assertThat(provider.release(new InstanceId(own(south)))).isInstanceOf(ReleaseOutcome.Accepted.class);

        vendor.on(Call.LIST, 2, Mishap.UNAVAILABLE);
        assertThat(thrown(provider::list)).as("one region that fails").isNotNull();
    }

    /** The vendor shows nothing to a user who may not look; its dry run tells. */
    @Test
    void anEmptyListToAUserWithoutTheRightIsNoProof() {
        InstanceId id = created(1);
        vendor.blind();
        assertThat(thrown(provider::list).kind()).isEqualTo(ErrorKind.PERMISSION);
        assertThat(thrown(provider::verify).kind()).isEqualTo(ErrorKind.PERMISSION);
        assertThat(provider.get(id)).as("asked for by its id").isPresent();
    }

    @Test
    void whatAMissingRightIsIsSaid() {
        vendor.forbid("DeleteInstance");
        assertThat(provider.verify().missing()).containsExactly("delete");
        vendor.forbid("RunInstances");
        assertThat(provider.verify().missing()).containsExactlyInAnyOrder("create", "delete");
        assertThat(vendor.created()).isZero();
    }

    @Test
    void rightsThatAreThereAreAskedForOnceAnHour() {
        provider.verify();
        int before = vendor.recorded().size();
        provider.verify();
        assertThat(vendor.recorded()).hasSize(before + 2);
        vendor.advance(Duration.ofHours(1));
        provider.verify();
        assertThat(vendor.recorded()).hasSize(before + 6);
    }

    @ParameterizedTest
    @CsvSource({
        // The vendor drops seconds: up to the next minute, and 31 minutes ahead at least.
        "2026-05-04T11:00:00Z, 2026-05-04T11:00:00Z",
        "2026-05-04T11:00:01Z, 2026-05-04T11:01:00Z",
        "2026-05-04T10:05:00Z, 2026-05-04T10:31:00Z",
        "2020-01-01T00:00:00Z, 2026-05-04T10:31:00Z",
        "2039-01-01T00:00:00Z, 2029-05-03T10:00:00Z"
    })
    void deadlinesKeepTheFloorAndTheRounding(Instant wanted, Instant set) {
        assertThat(AliyunMapper.releaseTime(wanted, Instant.parse("2026-05-04T10:00:00Z")))
                .isEqualTo(set);
    }

    @Test
    void aDeadlineNearerThanTheFloorIsToldAsItIs() {
        InstanceId id = created(1);
        assertThat(provider.armDeadline(id, vendor.request(1).deadline().minus(Duration.ofMinutes(50))))
                .isEqualTo(new DeadlineOutcome.Armed(Instant.parse("2026-05-04T10:31:00Z")));
        assertThat(vendor.releaseTime(own(id))).contains(Instant.parse("2026-05-04T10:31:00Z"));
        assertThat(provider.armDeadline(
                        new InstanceId("cn-beijing/i-nobody"), vendor.request(1).deadline()))
                .isInstanceOfSatisfying(DeadlineOutcome.Failed.class, no -> assertThat(no.kind())
                        .isEqualTo(ErrorKind.NOT_FOUND));
    }

    @Test
    void aDeadlineThatIsNotKnownIsNotMoved() {
        InstanceId id = created(1);
        vendor.unlisted();
        assertThat(provider.get(id)).as("by its id").isPresent();
        assertThat(provider.armDeadline(id, vendor.request(1).deadline().plus(Duration.ofHours(1))))
                .isInstanceOf(DeadlineOutcome.Failed.class);
        assertThat(vendor.releaseTime(own(id))).contains(vendor.request(1).deadline());
    }

    @Test
    void aStoppedInstanceBillsUnlessTheVendorSaysOtherwise() {
        InstanceId id = created(1);
        vendor.stop(own(id), "KeepCharging");
        assertThat(provider.get(id).orElseThrow().state()).isEqualTo(InstanceState.STOPPED_BILLING);
        vendor.stop(own(id), "StopCharging");
        assertThat(provider.get(id).orElseThrow().state()).isEqualTo(InstanceState.STOPPED_STORAGE_ONLY);
    }

    @Test
    void aLockedInstanceIsNotWell() {
        InstanceId id = created(1);
        vendor.advance(Duration.ofMinutes(2));
        vendor.lock(own(id), "financial");
        assertThat(provider.get(id)).get().satisfies(i -> {
            assertThat(i.state()).isEqualTo(InstanceState.UNHEALTHY);
            assertThat(i.vendorState()).isEqualTo("Running, locked: financial");
        });
    }

    @ParameterizedTest
    @CsvSource({"PT20M, 1200 s slow", "PT-20M, 1200 s fast"})
    void aWrongClockIsNamedAndKeepsNobodyFromReleasing(Duration skew, String words) {
        InstanceId id = created(1);
        CreateRequest second = vendor.request(2);
        vendor.skew(skew);
        assertThat(thrown(provider::verify)).satisfies(e -> {
            assertThat(e.kind()).isEqualTo(ErrorKind.AUTH);
            assertThat(e.words())
                    .contains("InvalidTimeStamp.Expired", "2026-05-04T10:00:00Z", "set this computer's clock", words);
        });
        assertThat(provider.create(second))
                .as("nobody rents by a wrong clock")
                .isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> assertThat(no.words())
                        .contains(words));
        assertThat(provider.list()).hasSize(1);
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
    }

    @Test
    void theFirstReleaseOfAllWorksWithAWrongClock() {
        InstanceId id = created(1);
        vendor.skew(Duration.ofHours(-3));
        assertThat(vendor.provider(AliyunDouble.SECRET).release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
    }

    @Test
    void expiredCredentialsAreNoProof() {
        InstanceId id = created(1);
        vendor.expire();
        assertThat(thrown(provider::list).kind()).isEqualTo(ErrorKind.AUTH);
        assertThat(thrown(() -> provider.get(id)).kind()).isEqualTo(ErrorKind.AUTH);
        assertThat(provider.release(id)).isInstanceOfSatisfying(ReleaseOutcome.Failed.class, no -> assertThat(no.kind())
                .isEqualTo(ErrorKind.AUTH));
    }

    @Test
    void anotherKeyUnderTheNameIsRefused() {
        CreateRequest request = vendor.request(1);
        PublicKey commented = new PublicKey(request.publicKey().line().replace("contract", "somebody@else"));
        assertThat(provider.ensureSshKey(request.name(), commented)).isEqualTo(request.key());
        PublicKey other = new PublicKey("ecdsa-sha2-nistp256 AAAAanother contract");
        assertThat(thrown(() -> provider.ensureSshKey(request.name(), other)).kind())
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void offersTellPricePlaceAndStock() {
        List<Offer> offers = provider.offers(
                new OfferQuery(Optional.of("A100-SXM4-80G"), OptionalInt.of(1), Optional.of("cn-shanghai")));
        assertThat(offers)
                .extracting(o -> o.id().value())
                .containsExactly(
                        "cn-shanghai/cn-shanghai-h/ecs.gn7e-c16g1.4xlarge",
                        "cn-shanghai/cn-shanghai-l/ecs.gn7e-c16g1.4xlarge");
        assertThat(offers.get(0)).satisfies(offer -> {
            assertThat(offer.pricing().hourly()).isEqualTo(BigMoney.parse("CNY 34.740"));
            assertThat(offer.pricing().storageHourly()).isEqualTo(BigMoney.parse("CNY 0.275"));
            assertThat(offer.vendorGpu()).isEqualTo("NVIDIA A100 (ecs.gn7e-c16g1.4xlarge in cn-shanghai-h)");
            assertThat(offer.availability()).isEqualTo(Availability.YES);
        });
        assertThat(provider.offers(OfferQuery.ALL))
                .extracting(Offer::gpu, Offer::gpuCount, Offer::availability)
                .contains(
                        org.assertj.core.groups.Tuple.tuple("A100-SXM4-80G", 8, Availability.NO),
                        org.assertj.core.groups.Tuple.tuple("Moonchip M1", 4, Availability.UNKNOWN))
                // Cannot be had with our disk; it has no price then.
                .noneMatch(t -> t.toList().contains("A10"));
    }

    @ParameterizedTest
    @CsvSource({
        "ecs.gn7e-c16g1.4xlarge, NVIDIA A100, A100-SXM4-80G",
        "ecs.ebmgn7e.32xlarge, NVIDIA A100 80G, A100-SXM4-80G",
        "ecs.gn7-c12g1.3xlarge, NVIDIA A100, A100-SXM4-40G",
        "ecs.gn7i-c8g1.2xlarge, NVIDIA A10, A10",
        "ecs.gn6i-c4g1.xlarge, NVIDIA T4, T4",
        "ecs.gn6v-c8g1.2xlarge, NVIDIA V100, V100-SXM2-16G",
        "ecs.gn8is.2xlarge, NVIDIA L20, L20",
        // A part of a card is not that card, and what is new keeps the vendor's words.
        "ecs.sgn7i-vws-m2.xlarge, NVIDIA A10*1/12, NVIDIA A10*1/12",
        "ecs.vgn6i-m4-vws.xlarge, NVIDIA T4, NVIDIA T4",
        "ecs.gn7e-c16g1.4xlarge, NVIDIA A100X, NVIDIA A100X",
        "ecs.gn12.large, NVIDIA A100, NVIDIA A100",
        "ecs.gn12.large, '', ecs.gn12.large"
    })
    void cardsAreNamedAsInTheCatalogueOrInTheVendorsWords(String type, String spec, String gpu) {
        assertThat(AliyunGpus.gpu(type, spec)).isEqualTo(gpu);
    }

    @Test
    void aNetworkIsNeverGuessed() {
        Provider other = vendor.provider(AliyunDouble.SECRET, Map.of("securityGroup", "sg-other"));
        InstanceId id = ((CreateOutcome.Created) other.create(vendor.request(1))).id();
        assertThat(vendor.asked(own(id))).containsEntry("SecurityGroupId", "sg-other");
        Provider none = vendor.provider(AliyunDouble.SECRET, Map.of("vSwitch", "vsw-elsewhere"));
        assertThat(none.create(vendor.request(2))).isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> {
            assertThat(no.kind()).isEqualTo(ErrorKind.INVALID_ARGUMENT);
            assertThat(no.words()).contains("no switch in cn-beijing-h", "vsw-elsewhere", "vSwitch");
        });
        assertThat(vendor.created()).isEqualTo(1);
    }

    @Test
    void leftoversAreFoundByNameAndTagAndTakenAway() {
        LeaseName name = vendor.request(1).name();
        vendor.disk("d-ours", name.text());
        vendor.disk("d-theirs", "production");
        vendor.address("eip-ours", name.text());
        vendor.address("eip-theirs", "web");
        List<DependentResource> ours = provider.dependentResources();
        assertThat(ours)
                .allMatch(r -> r.name().equals(name.text()))
                .extracting(DependentResource::kind, DependentResource::id, DependentResource::bills)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("ssh-key", "cn-beijing/" + name.text(), false),
                        org.assertj.core.groups.Tuple.tuple("disk", "cn-beijing/d-ours", true),
                        org.assertj.core.groups.Tuple.tuple("address", "cn-beijing/eip-ours", true),
                        org.assertj.core.groups.Tuple.tuple("ssh-key", "cn-shanghai/" + name.text(), false),
                        org.assertj.core.groups.Tuple.tuple("disk", "cn-shanghai/d-ours", true),
                        org.assertj.core.groups.Tuple.tuple("address", "cn-shanghai/eip-ours", true));
        ours.forEach(provider::release);
        ours.forEach(provider::release);
        assertThat(provider.dependentResources()).isEmpty();
        assertThat(vendor.leftovers()).as("of others").isEqualTo(2);
    }

    @Test
    void theBalanceMayHaveCommasAndMayBeHidden() {
        assertThat(provider.balance()).contains(Money.parse("CNY 1234.56"));
        vendor.balance("-3.5");
        assertThat(provider.balance()).contains(Money.parse("CNY -3.50"));
        vendor.balance("100,000,000.999");
        assertThat(provider.balance()).contains(Money.parse("CNY 100000000.99"));
        vendor.balance("plenty");
        assertThat(thrown(provider::balance).kind()).isEqualTo(ErrorKind.PROTOCOL);
        vendor.forbid("QueryAccountBalance");
        assertThat(provider.balance()).isEmpty();
    }

    @Test
    void aBillIsSummedAndNeverCalledComplete() {
        assertThat(provider.cost(new InstanceId("cn-beijing/i-1"))).get().satisfies(charge -> {
            assertThat(charge.amount()).isEqualTo(BigMoney.parse("CNY 35.05"));
            assertThat(charge.complete()).isFalse();
        });
    }

    @Test
    void noSecretIsEverSentOrShown() {
        InstanceId id = created(1);
        provider.release(id);
        assertThat(vendor.recorded()).isNotEmpty().noneMatch(request -> request.contains(AliyunDouble.SECRET));
        // The vendor repeats the whole Authorization header here.
        ProviderException e = thrown(() -> vendor.provider("another-secret-000").list());
        assertThat(e.words()).contains("SignatureDoesNotMatch", "Signature=***").doesNotContain(AliyunDouble.KEY_ID);
        assertThat(e.words().replaceAll("request [0-9A-Z-]+", "")).doesNotContainPattern("[0-9a-f]{32}");
    }

    @Test
    void settingsThatCannotBeUsedAreRefusedInPlainWords() {
        assertThatThrownBy(() -> vendor.provider("s", Map.of("region", "cn-beijing.evil.example")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cn-beijing.evil.example");
        assertThatThrownBy(() -> vendor.provider("s", Map.of("region", " , ")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> vendor.provider("s", Map.of("diskGb", "ten")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("diskGb");
        assertThatThrownBy(() -> provider.images(new OfferId("somewhere"))).isInstanceOf(ProviderException.class);
        assertThatThrownBy(() -> provider.get(new InstanceId("cn-beijing/i-1\"],x")))
                .isInstanceOf(ProviderException.class);
    }
}
