package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.jmeter.engine.DistributedRunner;
import org.apache.jmeter.engine.JMeterEngine;
import org.apache.jorphan.collections.HashTree;
import org.junit.jupiter.api.Test;

class ExpectedElementsTest {

    private final ExpectedElements arrivals = new ExpectedElements();

    @Test
    void somebody_is_expected_for_as_long_as_jmeter_starts_its_servers() {
        JMeterHome.load();
        List<Boolean> whileStarting = new ArrayList<>();
        DistributedRunner runner = new DistributedRunner() {
            @Override
            protected JMeterEngine createEngine(String address) {
                return engine(() -> {
                    // JMeter turns a server's elements on from the thread that starts it.
                    Object element = new Object();
                    arrivals.announce(element);
                    arrivals.arrived(element);
                    whileStarting.add(arrivals.areExpected());
                });
            }
        };
        runner.init(List.of("one", "two"), new HashTree());
        assertThat(arrivals.areExpected()).isFalse();
        runner.start();
        assertThat(whileStarting).containsExactly(true, true);
        assertThat(arrivals.areExpected()).isFalse();
    }

    @Test
    void who_was_announced_is_expected_until_there() {
        Object element = new Object();
        arrivals.announce(element);
        assertThat(arrivals.areExpected()).isTrue();
        assertThat(arrivals.arrived(element)).isTrue();
        assertThat(arrivals.areExpected()).isFalse();
    }

    /** An engine without a plan, a process or anything to stop: only its start does something. */
    private static JMeterEngine engine(Runnable starting) {
        Class<?>[] kinds = {JMeterEngine.class};
        return (JMeterEngine)
                Proxy.newProxyInstance(JMeterEngine.class.getClassLoader(), kinds, (engine, called, arguments) -> {
                    if (called.getName().equals("runTest")) {
                        starting.run();
                    }
                    return called.getReturnType() == boolean.class ? false : null;
                });
    }
}
