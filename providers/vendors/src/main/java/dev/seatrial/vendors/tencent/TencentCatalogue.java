package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Image;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.http.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;

/** What the vendor rents: types with GPUs, their images, and what they cost with our disk. */
final class TencentCatalogue {
    private final TencentSettings settings;
    private final TencentApi api;

    TencentCatalogue(TencentSettings settings, TencentApi api) {
        this.settings = settings;
        this.api = api;
    }

    /** Every matching offer of the region. A type that the vendor puts no price on is not one. */
    List<Offer> offers(String region, OfferQuery query) {
        ObjectNode filter = TencentMapper.object();
        filter.putArray("Filters")
                .addObject()
                .put("Name", "instance-charge-type")
                .putArray("Values")
                .add("POSTPAID_BY_HOUR");
        JsonNode document = api.read(Lane.READ, region, "DescribeZoneInstanceConfigInfos", filter);
        List<Offer> offers = new ArrayList<>();
        Optional<String> image = Optional.empty();
        for (JsonNode type : TencentPages.items(document, "InstanceTypeQuotaSet")) {
            int gpus = TencentMapper.gpus(type);
            String name = TencentMapper.text(type.path("InstanceType"));
            String zone = TencentMapper.text(type.path("Zone"));
            boolean wanted = gpus > 0
                    && !name.isBlank()
                    && !zone.isBlank()
                    && (query.gpuCount().isEmpty() || query.gpuCount().getAsInt() == gpus)
                    && query.gpu()
                            .map(g -> g.equalsIgnoreCase(TencentMapper.gpu(type)))
                            .orElse(true);
            if (!wanted) {
                continue;
            }
            TencentOffer place = new TencentOffer(region, zone, name);
            if (image.isEmpty()) {
                image = Optional.of(image(place));
            }
            price(place, image.get())
                    .or(() -> TencentMapper.hourly(type.path("Price"), settings.currency()))
                    .map(price -> TencentMapper.offer(settings.id(), place, type, price))
                    .filter(query::matches)
                    .ifPresent(offers::add);
        }
        return offers;
    }

    /** What it would cost with the disk; empty when the vendor says that it cannot be had now, which has no such price. */
    private Optional<BigMoney> price(TencentOffer offer, String image) {
        ObjectNode query = TencentMapper.object()
                .put("InstanceChargeType", "POSTPAID_BY_HOUR")
                .put("InstanceType", offer.type())
                .put("ImageId", image)
                .put("InstanceCount", 1);
        query.putObject("Placement").put("Zone", offer.zone());
        query.set("SystemDisk", disk());
        try {
            JsonNode price = api.read(Lane.READ, offer.region(), "InquiryPriceRunInstances", query)
                    .path("Price")
                    .path("InstancePrice");
            return Optional.of(TencentMapper.hourly(price, settings.currency())
                    .orElseThrow(() -> TencentMapper.odd("a price that is none for " + offer.type())));
        } catch (ProviderException e) {
            return switch (e.kind()) {
                case NO_CAPACITY, INVALID_ARGUMENT, NOT_FOUND -> Optional.empty();
                case QUOTA,
                        INSUFFICIENT_FUNDS,
                        AUTH,
                        PERMISSION,
                        ACCOUNT_BLOCKED,
                        CONFLICT_STATE,
                        RATE_LIMITED,
                        VENDOR_UNAVAILABLE,
                        DEPRECATED_ENDPOINT,
                        PROTOCOL -> throw e;
            };
        }
    }

    ObjectNode disk() {
        ObjectNode disk = TencentMapper.object().put("DiskSize", settings.disk().gigabytes());
        settings.disk().type().ifPresent(type -> disk.put("DiskType", type));
        return disk;
    }

    /** Images this type can start. Windows is none of them: nothing of ours runs there. */
    List<Image> images(TencentOffer offer) {
        ObjectNode query = TencentMapper.object().put("InstanceType", offer.type());
        return TencentPages.all(api, Lane.READ, offer.region(), "DescribeImages", query, "ImageSet", "ImageId").stream()
                .filter(image -> !TencentMapper.text(image.path("Platform")).startsWith("Windows"))
                .map(TencentMapper::image)
                .toList();
    }

    /**
     * The image used when none is named.
     *
     * @throws ProviderException {@link ErrorKind#INVALID_ARGUMENT} when none is configured and the vendor has no Ubuntu
     */
    String image(TencentOffer offer) {
        if (settings.image().isPresent()) {
            return settings.image().get();
        }
        ObjectNode query = TencentMapper.object();
        query.putArray("Filters")
                .addObject()
                .put("Name", "image-type")
                .putArray("Values")
                .add("PUBLIC_IMAGE");
        query.withArray("Filters")
                .addObject()
                .put("Name", "platform")
                .putArray("Values")
                .add("Ubuntu");
        List<Image> ubuntu =
                TencentPages.all(api, Lane.CREATE, offer.region(), "DescribeImages", query, "ImageSet", "ImageId")
                        .stream()
                        .map(TencentMapper::image)
                        .toList();
        return ubuntu.stream()
                .filter(image -> image.description().contains("22.04"))
                .findFirst()
                .or(() -> ubuntu.stream().findFirst())
                .map(Image::id)
                .orElseThrow(() -> new ProviderException(
                        ErrorKind.INVALID_ARGUMENT,
                        "no image is named, and " + offer.region() + " has no public Ubuntu; name one in image"));
    }
}
