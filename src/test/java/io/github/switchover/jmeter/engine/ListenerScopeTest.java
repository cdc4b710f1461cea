package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import org.apache.jmeter.control.GenericController;
import org.apache.jmeter.control.ReplaceableController;
import org.apache.jmeter.gui.tree.JMeterTreeNode;
import org.apache.jmeter.protocol.http.sampler.HTTPSampler;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which samplers a listener hears. */
class ListenerScopeTest {

    private final HashTree plan = new ListedHashTree();
    private final HashTree top = plan.add(new TestPlan());
    private final TestElement listener = new ResultCollector();

    @BeforeAll
    static void jmeter() {
        JMeterHome.load();
    }

    @Test
    void at_the_top_of_the_plan_it_hears_all() {
        group("users");
        group("others");
        top.add(listener);
        assertThat(problem()).isNull();
    }

    @Test
    void in_a_thread_group_it_hears_only_that_group_and_this_is_said() {
        group("users").add(listener);
        group("others");
        assertThat(problem())
                .isEqualTo(
                        "the Switchover Listener stands in users and records 1 of the 2 samplers of the plan: move it"
                                + " to the top of the plan");
    }

    @Test
    void samplers_of_an_included_plan_count() {
        group("users").add(listener);
        TestElement include = new Included();
        include.setName("include");
        top.add(include);
        assertThat(problem()).contains("records 1 of the 3 samplers");
    }

    /** As an Include Controller: what it holds is read when it is asked for. */
    public static class Included extends GenericController implements ReplaceableController {

        private static final long serialVersionUID = 1L;

        private transient HashTree read;

        @Override
        public HashTree getReplacementSubTree() {
            return read;
        }

        @Override
        public void resolveReplacementSubTree(JMeterTreeNode context) {
            read = new HashTree();
            read.add(new HTTPSampler());
            read.add(new HTTPSampler());
        }
    }

    private HashTree group(String name) {
        ThreadGroup group = new ThreadGroup();
        group.setName(name);
        HashTree below = top.add(group);
        TestElement first = new HTTPSampler();
        first.setName("first of " + name);
        below.add(first);
        return below;
    }

    private String problem() {
        return ListenerScope.problem(plan, ResultCollector.class, sampler -> true);
    }
}
