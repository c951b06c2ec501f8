package dev.seatrial.vendors.sim;

import dev.seatrial.vendors.ProviderContract;
import dev.seatrial.vendors.VendorDouble;

class SimProviderContractTest extends ProviderContract {
    @Override
    protected VendorDouble vendor() {
        return new SimulatorDouble();
    }
}
