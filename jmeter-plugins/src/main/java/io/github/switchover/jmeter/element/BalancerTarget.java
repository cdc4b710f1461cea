package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.element.ArmingCheck.JMeterKeyboard;
import io.github.switchover.jmeter.element.ArmingCheck.Keyboard;
import io.github.switchover.jmeter.element.MasterKill.PlannedKills;
import io.github.switchover.jmeter.engine.ClientSide;
import io.github.switchover.jmeter.engine.TestStop;
import java.util.Set;
import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.engine.util.NoConfigMerge;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.samplers.Remoteable;
import org.apache.jmeter.testelement.TestStateListener;
import org.jspecify.annotations.Nullable;

/** The target of a plan. It starts and ends a run with the test; in a remote test, on the client. */
public class BalancerTarget extends ConfigTestElement
        implements TableBean, TestStateListener, NoThreadClone, NoConfigMerge, Remoteable {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Keyboard keyboard;

    public BalancerTarget() {
        this(new JMeterKeyboard());
    }

    BalancerTarget(Keyboard keyboard) {
        this.keyboard = keyboard;
    }

    @Override
    public void setRunningVersion(boolean running) {
        super.setRunningVersion(running);
        if (running) {
            Runs.ofThisJvm().announce(this);
        }
    }

    @Override
    public void testStarted() {
        begin("");
    }

    @Override
    public void testStarted(String host) {
        ClientSide.fill(this);
        begin(host);
    }

    @Override
    public void testEnded() {
        Runs.ofThisJvm().leave(this, "");
    }

    @Override
    public void testEnded(String host) {
        Runs.ofThisJvm().leave(this, host);
    }

    private void begin(String host) {
        try {
            Runs.ofThisJvm().begin(this, host, () -> settings(host));
        } catch (SwitchoverException error) {
            TestStop.because(error.getMessage(), host);
        }
    }

    /** Returns the keyboard. The copy of this element on a server has none, because no fault is fired there. */
    Keyboard keyboard() {
        return keyboard == null ? new JMeterKeyboard() : keyboard;
    }

    /** A Master Kill fires only in this JVM, not on a server of a remote test. */
    private DrillSettings settings(String host) {
        return BalancerTargetSettings.of(this, host.isEmpty() ? PlannedKills.ofThisTest() : Set.of());
    }
}
