package io.github.switchover.jmeter;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;

/** The samples of a plan that it stands in. */
public final class KeptSamples extends AbstractTestElement implements SampleListener, NoThreadClone {

    private static final long serialVersionUID = 1L;
    private final transient List<SampleResult> results = new CopyOnWriteArrayList<>();

    public List<SampleResult> results() {
        return results;
    }

    @Override
    public void sampleOccurred(SampleEvent event) {
        results.add(event.getResult());
    }

    @Override
    public void sampleStarted(SampleEvent event) {
        // Only what has ended is kept.
    }

    @Override
    public void sampleStopped(SampleEvent event) {
        // Only what has ended is kept.
    }
}
