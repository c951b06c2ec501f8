package dev.seatrial.workflow;

import io.temporal.activity.ActivityExecutionContext;
import io.temporal.common.interceptors.ActivityInboundCallsInterceptor;
import io.temporal.common.interceptors.ActivityInboundCallsInterceptorBase;
import io.temporal.common.interceptors.WorkerInterceptorBase;
import java.util.ArrayList;
import java.util.List;

/** Disturbs one activity call of one candidate's workflows, chosen by its place in their order. */
final class Faults extends WorkerInterceptorBase {
    /** What happens at a call. */
    interface Fault {
        Fault NONE = call -> call.get();

        Object around(Call call);
    }

    /** The call itself. */
    interface Call {
        Object get();
    }

    private final List<String> calls = new ArrayList<>();
    private String candidate = "";
    private int at = -1;
    private Fault fault = Fault.NONE;

    synchronized void arm(String candidateName, int index, Fault what) {
        calls.clear();
        candidate = candidateName;
        at = index;
        fault = what;
    }

    /** Names of the activities called since armed, in order. */
    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    private synchronized Fault next(String workflow, String activity) {
        if (!workflow.contains("-" + candidate + "-") && !workflow.endsWith("-" + candidate)) {
            return Fault.NONE;
        }
        calls.add(activity);
        return calls.size() - 1 == at ? fault : Fault.NONE;
    }

    @Override
    public ActivityInboundCallsInterceptor interceptActivity(ActivityInboundCallsInterceptor next) {
        return new ActivityInboundCallsInterceptorBase(next) {
            private ActivityExecutionContext context;

            @Override
            public void init(ActivityExecutionContext current) {
                context = current;
                super.init(current);
            }

            @Override
            public ActivityOutput execute(ActivityInput input) {
                Fault now = next(
                        context.getInfo().getWorkflowId(), context.getInfo().getActivityType());
                return (ActivityOutput) now.around(() -> super.execute(input));
            }
        };
    }
}
