package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;

/** The request that creates. */
final class TencentRunInstances {
    /** Traffic is paid by the gigabyte, so that the rate itself costs nothing. */
    private static final int MEGABITS_OUT = 100;

    private TencentRunInstances() {}

    /** Everything a create says of one instance. */
    static ObjectNode parameters(
            TencentSettings settings, TencentCatalogue catalogue, CreateRequest request, TencentOffer offer) {
        String name = request.name().text();
        ObjectNode body = TencentMapper.object()
                .put("InstanceChargeType", "POSTPAID_BY_HOUR")
                .put("InstanceType", offer.type())
                .put("ImageId", request.image().orElseGet(() -> catalogue.image(offer)))
                .put("InstanceCount", 1)
                .put("InstanceName", name)
                .put("ClientToken", request.token());
        body.putObject("Placement").put("Zone", offer.zone());
        body.set("SystemDisk", catalogue.disk().put("DiskName", name));
        settings.network().ifPresent(network -> body.putObject("VirtualPrivateCloud")
                .put("VpcId", network.vpc())
                .put("SubnetId", network.subnet()));
        body.putObject("InternetAccessible")
                .put("InternetChargeType", "TRAFFIC_POSTPAID_BY_HOUR")
                .put("InternetMaxBandwidthOut", MEGABITS_OUT)
                .put("PublicIpAssigned", true);
        if (!settings.securityGroups().isEmpty()) {
            settings.securityGroups().forEach(body.putArray("SecurityGroupIds")::add);
        }
        if (TencentKeys.registered(request.publicKey())) {
            String id = TencentKeys.id(request.key(), offer.region())
                    .orElseThrow(() -> new ProviderException(
                            ErrorKind.INVALID_ARGUMENT, "the key is not registered in " + offer.region()));
            body.putObject("LoginSettings").putArray("KeyIds").add(id);
        }
        TencentKeys.userData(request.publicKey(), request.startupData()).ifPresent(data -> body.put("UserData", data));
        body.set(
                "ActionTimer",
                TencentTimers.timer(TencentMapper.actionTime(
                        request.deadline(), settings.clock().instant())));
        // Tags go to the disk as well.
        body.putArray("TagSpecification")
                .addObject()
                .put("ResourceType", "instance")
                .putArray("Tags")
                .addObject()
                .put("Key", TencentMapper.TAG)
                .put("Value", name);
        return body;
    }
}
