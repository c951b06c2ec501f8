package dev.seatrial.vendors.tencent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.groups.Tuple.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.DeadlineOutcome;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Image;
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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.joda.money.BigMoney;
import org.joda.money.Money;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is this vendor's own, beside the contract of all. */
class TencentProviderTest {
    private final TencentDouble vendor = new TencentDouble("ap-guangzhou,ap-beijing");
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
        JsonNode asked = vendor.asked(own(id));
        assertThat(asked.path("InstanceName").asText()).isEqualTo(name);
        assertThat(asked.path("ClientToken").asText()).isEqualTo("token-1");
        assertThat(asked.path("InstanceCount").asInt()).isEqualTo(1);
        assertThat(asked.path("ActionTimer").toString())
                .isEqualTo("{\"TimerAction\":\"TerminateInstances\",\"ActionTime\":\"2026-05-04T11:00:00Z\"}");
        assertThat(asked.path("TagSpecification").path(0).path("Tags").toString())
                .isEqualTo("[{\"Key\":\"seatrial\",\"Value\":\"" + name + "\"}]");
        assertThat(asked.path("LoginSettings").path("KeyIds")).hasSize(1);
        assertThat(asked.path("Placement").path("Zone").asText()).isEqualTo("ap-guangzhou-6");
        assertThat(asked.has("VirtualPrivateCloud"))
                .as("the account's default one")
                .isFalse();
        assertThat(decoded(asked)).isEqualTo("#!/bin/sh\ntrue\n");
    }

    private static String decoded(JsonNode asked) {
        return new String(Base64.getDecoder().decode(asked.path("UserData").asText()), StandardCharsets.UTF_8);
    }

    /** The vendor registers RSA keys only; the others get onto the machine all the same. */
    @Test
    void aKeyThatTheVendorDoesNotTakeTravelsInTheStartUpScript() {
        CreateRequest request = vendor.request(1, TencentDouble.ECDSA);
        InstanceId id = ((CreateOutcome.Created) provider.create(request)).id();
        assertThat(vendor.asked(own(id)).has("LoginSettings")).isFalse();
        assertThat(decoded(vendor.asked(own(id))))
                .startsWith("#!/bin/sh\n")
                .contains("'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA=='")
                .contains(Base64.getEncoder()
                        .encodeToString(request.startupData().orElseThrow().getBytes(StandardCharsets.UTF_8)));
        assertThat(provider.dependentResources()).isEmpty();
    }

    @Test
    void aKeyCannotSmuggleACommandIn() {
        PublicKey evil = new PublicKey("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA';reboot;' me");
        assertThat(thrown(() -> provider.ensureSshKey(vendor.request(1).name(), evil))
                        .kind())
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void aStartUpScriptThatIsTooLongIsRefusedBeforeAnythingIsSent() {
        CreateRequest r = vendor.request(1);
        CreateRequest longer = new CreateRequest(
                r.name(),
                r.token(),
                r.offer(),
                r.image(),
                r.key(),
                r.publicKey(),
                Optional.of("#".repeat(16 * 1024 + 1)),
                r.deadline());
        assertThat(provider.create(longer))
                .isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> assertThat(no.kind())
                        .isEqualTo(ErrorKind.INVALID_ARGUMENT));
        assertThat(vendor.created()).isZero();
    }

    @Test
    void everyRegionIsListedAndAnIdSaysWhichItIsIn() {
        InstanceId south = created(1);
        CreateRequest one = vendor.request(2);
        InstanceId north = ((CreateOutcome.Created) provider.create(new CreateRequest(
                        one.name(),
                        one.token(),
                        new OfferId("ap-beijing/ap-beijing-6/GT4.4XLARGE96"),
                        Optional.empty(),
                        one.key(),
                        one.publicKey(),
                        one.startupData(),
                        one.deadline())))
                .id();
        assertThat(south.value()).startsWith("ap-guangzhou/ins-");
        assertThat(north.value()).startsWith("ap-beijing/ins-");
        assertThat(vendor.asked(own(north)).path("ImageId").asText())
                .as("the vendor's Ubuntu")
                .isEqualTo("img-ubuntu22");
        assertThat(provider.list()).extracting(Instance::id).containsExactly(south, north);
        assertThat(provider.get(new InstanceId(own(north)))).map(Instance::id).contains(north);
        assertThat(provider.release(new InstanceId(own(north)))).isInstanceOf(ReleaseOutcome.Accepted.class);
        assertThat(vendor.addressReleased(own(north))).isTrue();
        vendor.on(Call.LIST, 2, Mishap.UNAVAILABLE);
        assertThat(thrown(provider::list)).as("one region that fails").isNotNull();
    }

    /** By offset, what comes or goes between two pages makes others be missed. */
    @Test
    void aListThatChangesWhileItIsReadIsReadAgain() {
        for (int i = 1; i <= vendor.pageSize() + 2; i++) {
            created(i);
        }
        vendor.vanishing(2);
        assertThat(provider.list()).hasSize(vendor.pageSize() + 2);
        vendor.vanishing(100);
        assertThat(thrown(provider::list).kind()).isEqualTo(ErrorKind.VENDOR_UNAVAILABLE);
    }

    @Test
    void whatAMissingRightIsIsSaid() {
        assertThat(provider.verify().missing()).isEmpty();
        vendor.forbid("RunInstances");
        assertThat(provider.verify().missing()).containsExactly("create");
        vendor.forbid("DescribeInstances");
        assertThat(thrown(provider::verify).kind()).isEqualTo(ErrorKind.PERMISSION);
        assertThat(thrown(provider::list).kind()).isEqualTo(ErrorKind.PERMISSION);
        assertThat(thrown(() -> provider.get(new InstanceId("ap-beijing/ins-1")))
                        .kind())
                .isEqualTo(ErrorKind.PERMISSION);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-05-04T11:00:00Z, 2026-05-04T11:00:00Z",
        "2026-05-04T11:00:00.250Z, 2026-05-04T11:00:01Z",
        "2026-05-04T10:01:00Z, 2026-05-04T10:06:00Z",
        "2020-01-01T00:00:00Z, 2026-05-04T10:06:00Z"
    })
    void deadlinesKeepTheFloorAndTheRounding(Instant wanted, Instant set) {
        assertThat(TencentMapper.actionTime(wanted, Instant.parse("2026-05-04T10:00:00Z")))
                .isEqualTo(set);
    }

    @Test
    void aNearerTimerIsAddedAndTheOtherOneStays() {
        InstanceId id = created(1);
        Instant first = vendor.request(1).deadline();
        Instant nearer = Instant.parse("2026-05-04T10:06:00Z");
        assertThat(provider.armDeadline(id, nearer.minusSeconds(300))).isEqualTo(new DeadlineOutcome.Armed(nearer));
        assertThat(vendor.timers(own(id))).containsExactly(first, nearer);
        assertThat(provider.armDeadline(id, first)).isEqualTo(new DeadlineOutcome.Armed(nearer));
        assertThat(provider.armDeadline(new InstanceId("ap-guangzhou/ins-nobody00"), first))
                .isInstanceOfSatisfying(DeadlineOutcome.Failed.class, no -> assertThat(no.kind())
                        .isEqualTo(ErrorKind.NOT_FOUND));
    }

    @Test
    void whereASecondTimerIsRefusedTheFirstOneHolds() {
        InstanceId id = created(1);
        vendor.oneTimer();
        assertThat(provider.armDeadline(id, Instant.parse("2026-05-04T10:30:00Z")))
                .isInstanceOf(DeadlineOutcome.Failed.class);
        assertThat(vendor.timers(own(id))).containsExactly(vendor.request(1).deadline());
    }

    @Test
    void aTimerThatKeepsFromReleasingGoesAndComesBackWhenTheReleaseFails() {
        InstanceId id = created(1);
        vendor.timersProtect(true);
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.RetryLater.class);
        assertThat(vendor.timers(own(id)))
                .as("nobody is left without")
                .containsExactly(vendor.request(1).deadline());
        vendor.timersProtect(false);
        vendor.on(Call.RELEASE, 2, Mishap.DROPPED);
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.RetryLater.class);
        assertThat(vendor.timers(own(id))).containsExactly(vendor.request(1).deadline());
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
    }

    @ParameterizedTest
    @CsvSource({
        "PENDING, '', PROVISIONING",
        "LAUNCH_FAILED, '', FAILED_MAYBE_BILLING",
        "RUNNING, NOT_APPLICABLE, RUNNING",
        "STARTING, '', BOOTING",
        "REBOOTING, '', BOOTING",
        "STOPPING, '', STOPPED_BILLING",
        "STOPPED, KEEP_CHARGING, STOPPED_BILLING",
        "STOPPED, STOP_CHARGING, STOPPED_STORAGE_ONLY",
        "STOPPED, '', STOPPED_BILLING",
        "SHUTDOWN, '', RELEASING",
        "TERMINATING, '', RELEASING",
        "ENTER_RESCUE_MODE, '', UNHEALTHY",
        "RESCUE_MODE, '', UNHEALTHY",
        "EXIT_RESCUE_MODE, '', UNHEALTHY",
        "ENTER_SERVICE_LIVE_MIGRATE, '', UNHEALTHY",
        "SERVICE_LIVE_MIGRATE, '', UNHEALTHY",
        "EXIT_SERVICE_LIVE_MIGRATE, '', UNHEALTHY",
        "TERMINATED, '', UNKNOWN",
        "'', '', UNKNOWN"
    })
    void everyStateWordIsKnownOrBills(String word, String stopCharging, InstanceState state) {
        assertThat(TencentMapper.state(word, stopCharging)).isEqualTo(state);
        assertThat(state.maybeBilling()).isTrue();
    }

    @Test
    void whatIsWrongWithAnInstanceIsToldInTheVendorsWords() {
        InstanceId id = created(1);
        vendor.word(own(id), "LAUNCH_FAILED", "");
        vendor.trouble(own(id), "NORMAL", "The image cannot be read.");
        assertThat(provider.get(id).orElseThrow().vendorState()).isEqualTo("LAUNCH_FAILED: The image cannot be read.");
        vendor.word(own(id), "RUNNING", "");
        vendor.trouble(own(id), "PROTECTIVELY_ISOLATED", "");
        assertThat(provider.get(id)).get().satisfies(i -> {
            assertThat(i.state()).isEqualTo(InstanceState.UNHEALTHY);
            assertThat(i.vendorState()).isEqualTo("RUNNING, PROTECTIVELY_ISOLATED");
        });
    }

    @ParameterizedTest
    @CsvSource({"PT7M, 420 s slow", "PT-7M, 420 s fast"})
    void aWrongClockIsNamedAndKeepsNobodyFromReleasing(Duration skew, String words) {
        InstanceId id = created(1);
        CreateRequest second = vendor.request(2);
        vendor.skew(skew);
        assertThat(thrown(provider::verify)).satisfies(e -> {
            assertThat(e.kind()).isEqualTo(ErrorKind.AUTH);
            assertThat(e.words())
                    .contains(
                            "AuthFailure.SignatureExpire", "2026-05-04T10:00:00Z", "set this computer's clock", words);
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
        assertThat(vendor.provider(TencentDouble.SECRET_KEY).release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
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
        PublicKey other = new PublicKey("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCanother contract");
        assertThat(thrown(() -> provider.ensureSshKey(request.name(), other)).kind())
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void offersTellPricePlaceAndStock() {
        List<Offer> offers = provider.offers(OfferQuery.ALL);
        assertThat(offers)
                .filteredOn(o -> o.region().equals("ap-beijing"))
                .extracting(
                        o -> o.id().value(),
                        Offer::gpu,
                        Offer::gpuCount,
                        o -> o.pricing().hourly(),
                        Offer::availability)
                .containsExactly(
                        tuple(
                                "ap-beijing/ap-beijing-6/GT4.4XLARGE96",
                                "A100-SXM4-40G",
                                1,
                                BigMoney.parse("CNY 29.41"),
                                Availability.YES),
                        // Sold out: there is no price with the disk then.
                        tuple(
                                "ap-beijing/ap-beijing-6/GT4.41XLARGE948",
                                "A100-SXM4-40G",
                                8,
                                BigMoney.parse("CNY 231.2"),
                                Availability.NO),
                        // A quarter of a card is none; a family that is not known keeps the vendor's words.
                        tuple(
                                "ap-beijing/ap-beijing-6/GX1.LARGE",
                                "GPU GX1",
                                2,
                                BigMoney.parse("CNY 29.41"),
                                Availability.YES));
        assertThat(provider.images(offers.get(0).id()))
                .extracting(Image::id)
                .containsExactly("img-ubuntu24", "img-ubuntu22");
    }

    @Test
    void leftoversAreFoundByNameAndTagAndTakenAway() {
        LeaseName name = vendor.request(1).name();
        vendor.disk("disk-ours", name.text());
        vendor.disk("disk-theirs", "production");
        vendor.address("eip-ours", name.text());
        vendor.address("eip-theirs", "web");
        List<DependentResource> ours = provider.dependentResources();
        assertThat(ours)
                .allMatch(r -> r.name().equals(name.text()))
                .filteredOn(r -> r.id().startsWith("ap-guangzhou/"))
                .extracting(DependentResource::kind, DependentResource::bills)
                .containsExactly(tuple("ssh-key", false), tuple("address", true), tuple("disk", true));
        ours.forEach(provider::release);
        ours.forEach(provider::release);
        assertThat(provider.dependentResources()).isEmpty();
        assertThat(vendor.leftovers()).as("of others").isEqualTo(2);
    }

    @Test
    void theBalanceIsInHundredthsAndMayBeHidden() {
        assertThat(provider.balance()).contains(Money.parse("CNY 1234.56"));
        vendor.balance(Optional.empty());
        assertThat(provider.balance()).contains(Money.parse("CNY 0.77"));
        vendor.balance(Optional.of(-250));
        assertThat(vendor.provider(TencentDouble.SECRET_KEY, Map.of("currency", "USD"))
                        .balance())
                .contains(Money.parse("USD -2.50"));
        vendor.forbid("DescribeAccountBalance");
        assertThat(provider.balance()).isEmpty();
    }

    @Test
    void noSecretIsEverSentOrShown() {
        InstanceId id = created(1);
        provider.release(id);
        assertThat(vendor.recorded()).isNotEmpty().noneMatch(request -> request.contains(TencentDouble.SECRET_KEY));
        // The vendor repeats the whole Authorization header here.
        ProviderException e = thrown(() -> vendor.provider("another-secret-000").list());
        assertThat(e.words())
                .contains("AuthFailure.SignatureFailure", "Signature=***")
                .doesNotContain(TencentDouble.SECRET_ID)
                .doesNotContainPattern("[0-9a-f]{64}");
    }

    @Test
    void settingsThatCannotBeUsedAreRefusedInPlainWords() {
        assertThatThrownBy(() -> vendor.provider("s", Map.of("region", "Guangzhou")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Guangzhou");
        assertThatThrownBy(() -> vendor.provider("s", Map.of("vpc", "vpc-1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("subnet");
        assertThatThrownBy(() -> vendor.provider("s", Map.of("currency", "gold")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("gold");
        assertThatThrownBy(() -> vendor.provider("s", Map.of("url", "cvm")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("url");
        assertThatThrownBy(() -> provider.images(new OfferId("somewhere"))).isInstanceOf(ProviderException.class);
    }

    @Test
    void aNetworkThatIsNamedIsUsed() {
        Provider own = vendor.provider(
                TencentDouble.SECRET_KEY,
                Map.of("vpc", "vpc-1", "subnet", "subnet-6", "securityGroup", "sg-1 sg-2", "disk", "CLOUD_BSSD"));
        InstanceId id = ((CreateOutcome.Created) own.create(vendor.request(1))).id();
        JsonNode asked = vendor.asked(own(id));
        assertThat(asked.path("VirtualPrivateCloud").toString())
                .isEqualTo("{\"VpcId\":\"vpc-1\",\"SubnetId\":\"subnet-6\"}");
        assertThat(asked.path("SecurityGroupIds").toString()).isEqualTo("[\"sg-1\",\"sg-2\"]");
        assertThat(asked.path("SystemDisk").path("DiskType").asText()).isEqualTo("CLOUD_BSSD");
    }
}
