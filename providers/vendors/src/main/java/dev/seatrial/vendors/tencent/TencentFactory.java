package dev.seatrial.vendors.tencent;

import dev.seatrial.provider.Provider;
import dev.seatrial.vendors.VendorAccount;
import dev.seatrial.vendors.VendorFactory;
import java.util.List;

/** Makes accounts of {@code kind: tencent}. */
public final class TencentFactory implements VendorFactory {
    @Override
    public String kind() {
        return "tencent";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("region", "region such as ap-guangzhou, or several with commas between"),
                Setting.key("secretId", "id of the API key"),
                Setting.key("secretKey", "key of the API key"),
                Setting.optionalSecret("token", "token of temporary credentials"),
                Setting.optional("vpc", "private network (vpc-…); the account's default one unless named"),
                Setting.optional("subnet", "its subnet (subnet-…), in the zone that is rented in"),
                Setting.optional(
                        "securityGroup", "security groups (sg-…) that let SSH in; the default one unless named"),
                Setting.optional(
                        "image", "image (img-…) used when a plan names none; the vendor's Ubuntu unless named"),
                Setting.optional(
                        "disk", "type of the system disk such as CLOUD_BSSD; the vendor's choice unless named"),
                Setting.optional("diskGb", "size of the system disk in GB, 100 unless said otherwise"),
                Setting.optional("currency", "currency the account is billed in, CNY unless said otherwise"),
                Setting.optional(
                        "url", "address of the API, {service} standing for the service, instead of the vendor's own"));
    }

    @Override
    public Provider create(VendorAccount account) {
        return new TencentProvider(TencentSettings.of(account));
    }
}
