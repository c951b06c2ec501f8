package dev.seatrial.vendors.tencent;

import dev.seatrial.vendors.ProviderContract;
import dev.seatrial.vendors.VendorDouble;

class TencentContractTest extends ProviderContract {
    @Override
    protected VendorDouble vendor() {
        return new TencentDouble();
    }
}
