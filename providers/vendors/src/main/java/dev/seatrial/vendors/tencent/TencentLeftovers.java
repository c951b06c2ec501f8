package dev.seatrial.vendors.tencent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.tencent.TencentApi.Answer;
import java.util.ArrayList;
import java.util.List;

/**
 * What of ours may outlive an instance: keys, and addresses and disks that hang on nothing, of which we make none ourselves. An
 * elastic address outlives its instance unless the release says otherwise. The calls of the network and disk services
 * (DescribeAddresses, ReleaseAddresses, DescribeDisks, TerminateDisks) are unverified.
 */
final class TencentLeftovers {
    private static final TencentMapper.Leftover KEY =
            new TencentMapper.Leftover("ssh-key", "KeyId", "KeyName", "Tags", false);
    private static final TencentMapper.Leftover ADDRESS =
            new TencentMapper.Leftover("address", "AddressId", "AddressName", "TagSet", true);
    private static final TencentMapper.Leftover DISK =
            new TencentMapper.Leftover("disk", "DiskId", "DiskName", "Tags", true);

    private final TencentApi cvm;
    private final TencentApi vpc;
    private final TencentApi cbs;

    TencentLeftovers(TencentApi cvm, TencentApi vpc, TencentApi cbs) {
        this.cvm = cvm;
        this.vpc = vpc;
        this.cbs = cbs;
    }

    List<DependentResource> of(String region) {
        List<DependentResource> ours = new ArrayList<>();
        add(ours, cvm, region, "DescribeKeyPairs", filter("tag-key", TencentMapper.TAG), "KeyPairSet", KEY);
        add(ours, vpc, region, "DescribeAddresses", filter("address-status", "UNBIND"), "AddressSet", ADDRESS);
        add(ours, cbs, region, "DescribeDisks", filter("disk-state", "UNATTACHED"), "DiskSet", DISK);
        return ours;
    }

    private static void add(
            List<DependentResource> ours,
            TencentApi api,
            String region,
            String action,
            ObjectNode query,
            String list,
            TencentMapper.Leftover what) {
        for (JsonNode item : TencentPages.all(api, Lane.SAFETY, region, action, query, list, what.id())) {
            TencentMapper.thing(item, region, what).ifPresent(ours::add);
        }
    }

    private static ObjectNode filter(String name, String value) {
        ObjectNode query = TencentMapper.object();
        query.putArray("Filters")
                .addObject()
                .put("Name", name)
                .putArray("Values")
                .add(value);
        return query;
    }

    /** Deletes it; one that is gone already is success. A key that is still on an instance is refused for a while. */
    void release(String region, String kind, String id) {
        Answer answer =
                switch (kind) {
                    case "ssh-key" -> cvm.ask(Lane.SAFETY, region, "DeleteKeyPairs", ids("KeyIds", id));
                    case "address" -> vpc.ask(Lane.SAFETY, region, "ReleaseAddresses", ids("AddressIds", id));
                    case "disk" -> cbs.ask(Lane.SAFETY, region, "TerminateDisks", ids("DiskIds", id));
                    default -> throw new ProviderException(ErrorKind.INVALID_ARGUMENT, "no kind of leftover: " + kind);
                };
        if (!TencentErrors.notFound(answer)) {
            TencentErrors.document(answer);
        }
    }

    static ObjectNode ids(String name, String id) {
        ObjectNode body = TencentMapper.object();
        body.putArray(name).add(id);
        return body;
    }
}
