package dev.seatrial.vendors.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.provider.Availability;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.http.Lane;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What one region rents: types with GPUs, in which zones they are to be had, and what they cost with our disk. */
final class AliyunCatalogue {
    private final AliyunSettings settings;

    AliyunCatalogue(AliyunSettings settings) {
        this.settings = settings;
    }

    /** Every matching offer of the region. A type that the vendor puts no price on is not one. */
    List<Offer> offers(AliyunApi api, String region, OfferQuery query) {
        Map<String, JsonNode> types = types(api, query);
        Map<String, Optional<JsonNode>> prices = new HashMap<>();
        List<Offer> offers = new ArrayList<>();
        JsonNode document = api.read(
                Lane.READ,
                "DescribeAvailableResource",
                Map.of(
                        "RegionId", region,
                        "DestinationResource", "InstanceType",
                        "InstanceChargeType", "PostPaid",
                        "IoOptimized", "optimized"));
        for (JsonNode zone : AliyunPages.items(document, "AvailableZones", "AvailableZone")) {
            for (JsonNode resources : zone.path("AvailableResources").path("AvailableResource")) {
                for (JsonNode one : resources.path("SupportedResources").path("SupportedResource")) {
                    String type = AliyunMapper.text(one.path("Value"));
                    String zoneId = AliyunMapper.text(zone.path("ZoneId"));
                    if (!types.containsKey(type) || zoneId.isBlank()) {
                        continue;
                    }
                    Availability availability = AliyunMapper.availability(one);
                    AliyunOffer place = new AliyunOffer(region, zoneId, type);
                    prices.computeIfAbsent(type, t -> price(api, place))
                            .map(price ->
                                    AliyunMapper.offer(settings.id(), place, types.get(type), price, availability))
                            .filter(query::matches)
                            .ifPresent(offers::add);
                }
            }
        }
        return offers;
    }

    private static Map<String, JsonNode> types(AliyunApi api, OfferQuery query) {
        Map<String, JsonNode> types = new LinkedHashMap<>();
        for (JsonNode type : AliyunPages.byToken(
                api,
                Lane.READ,
                "DescribeInstanceTypes",
                Map.of("MinimumGPUAmount", "1"),
                100,
                "InstanceTypes",
                "InstanceType")) {
            String name = AliyunMapper.text(type.path("InstanceTypeId"));
            String gpu = AliyunGpus.gpu(name, AliyunMapper.text(type.path("GPUSpec")));
            int count = type.path("GPUAmount").asInt(0);
            boolean wanted = query.gpu().map(g -> g.equalsIgnoreCase(gpu)).orElse(true)
                    && (query.gpuCount().isEmpty() || query.gpuCount().getAsInt() == count);
            if (wanted && count > 0) {
                types.put(name, type);
            }
        }
        return types;
    }

    /** Empty when the vendor says that this type cannot be had like this, with our kind of disk for one. */
    private Optional<JsonNode> price(AliyunApi api, AliyunOffer offer) {
        try {
            return Optional.of(api.read(
                    Lane.READ,
                    "DescribePrice",
                    Map.of(
                            "RegionId",
                            offer.region(),
                            "ResourceType",
                            "instance",
                            "InstanceType",
                            offer.type(),
                            "InstanceNetworkType",
                            "vpc",
                            "IoOptimized",
                            "optimized",
                            "PriceUnit",
                            "Hour",
                            "SystemDisk.Category",
                            settings.disk().category(),
                            "SystemDisk.Size",
                            String.valueOf(settings.disk().gigabytes()))));
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
}
