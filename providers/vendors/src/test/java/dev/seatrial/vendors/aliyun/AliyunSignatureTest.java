package dev.seatrial.vendors.aliyun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.vendors.http.Signing;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AliyunSignatureTest {
    /** The worked example of help.aliyun.com/zh/sdk/product-overview/v3-request-structure-and-signature. */
    @Test
    void theVendorsOwnExampleComesOut() {
        AliyunSignature signature = AliyunSignature.of(
                "YourAccessKeyId",
                "YourAccessKeySecret",
                "POST",
                Map.of("RegionId", "cn-shanghai", "ImageId", "win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd"),
                Map.of(
                        "host", "ecs.cn-shanghai.aliyuncs.com",
                        "x-acs-action", "RunInstances",
                        "x-acs-version", "2014-05-26",
                        "x-acs-date", "2023-10-26T10:22:32Z",
                        "x-acs-signature-nonce", "3156853299f313e23d1673dc12e1703d",
                        "x-acs-content-sha256", Signing.sha256("")));
        assertThat(signature.authorization())
                .isEqualTo("ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;"
                        + "x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,"
                        + "Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0");
        assertThat(signature.toString()).doesNotContain(signature.signature());
    }

    @Test
    void valuesAreEncodedAsTheVendorDoes() {
        assertThat(Signing.percentEncoded("a b*~[\"i-1\"]+/=中"))
                .isEqualTo("a%20b%2A~%5B%22i-1%22%5D%2B%2F%3D%E4%B8%AD");
    }
}
