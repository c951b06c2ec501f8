package dev.seatrial.vendors.aliyun;

import dev.seatrial.provider.Provider;
import dev.seatrial.vendors.VendorAccount;
import dev.seatrial.vendors.VendorFactory;
import java.util.List;

/** Makes accounts of {@code kind: aliyun}. */
public final class AliyunFactory implements VendorFactory {
    @Override
    public String kind() {
        return "aliyun";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("region", "region id such as cn-beijing, or several with commas between"),
                Setting.key("accessKeyId", "id of the access key"),
                Setting.key("accessKeySecret", "secret of the access key"),
                Setting.optionalSecret("securityToken", "token of temporary credentials"),
                Setting.optional("vSwitch", "switches (vsw-…) to create in; needed where a zone has several"),
                Setting.optional(
                        "securityGroup", "security groups (sg-…) that let SSH in; needed where there are several"),
                Setting.optional(
                        "image", "image id, or image family such as acs:ubuntu_22_04_x64, used when a plan names none"),
                Setting.optional("disk", "category of the system disk, cloud_essd unless said otherwise"),
                Setting.optional("diskGb", "size of the system disk in GB, 100 unless said otherwise"),
                Setting.optional(
                        "url",
                        "address of the ECS endpoint, {region} standing for the region, instead of the vendor's own"),
                Setting.optional("billingUrl", "address of the billing endpoint instead of business.aliyuncs.com"));
    }

    @Override
    public Provider create(VendorAccount account) {
        return new AliyunProvider(AliyunSettings.of(account));
    }
}
