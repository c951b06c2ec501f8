package dev.seatrial.vendors.aliyun;

import dev.seatrial.vendors.ProviderContract;
import dev.seatrial.vendors.VendorDouble;

class AliyunContractTest extends ProviderContract {
    @Override
    protected VendorDouble vendor() {
        return new AliyunDouble();
    }
}
