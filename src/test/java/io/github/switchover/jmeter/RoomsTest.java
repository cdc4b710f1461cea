package io.github.switchover.jmeter;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.switchover.jmeter.engine.JMeterWindow;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.jmeter.engine.util.NoConfigMerge;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.gui.ClearGui;
import org.apache.jmeter.gui.UnsharedComponent;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanPropertyEditor;
import org.apache.jmeter.visualizers.gui.AbstractListenerGui;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The rooms of the plugins, and what each may see of the others and of JMeter. */
class RoomsTest {

    /** A room uses only rooms above it. */
    static final List<String> ROOMS = List.of(
            "core",
            "run",
            "target",
            "command",
            "http",
            "prober",
            "telemetry",
            "faults",
            "streaming",
            "engine",
            "recording",
            "verdict",
            "drill",
            "element",
            "view",
            "cli");

    /** As many values as a reader tells apart by their place. */
    private static final int POSITIONS = 7;

    private static final String HOUSE = RoomsTest.class.getPackageName();

    /** These extend JMeter's own classes or read its results; the others work without it. */
    private static final List<String> ROOMS_THAT_KNOW_JMETER = List.of("engine", "recording", "element", "view");

    /** What an element's own window is made of: JMeter offers these for that. */
    private static final Class<?>[] WINDOW_OF_A_PLUGIN = {
        AbstractListenerGui.class,
        ClearGui.class,
        GenericTestBeanCustomizer.class,
        TestBeanPropertyEditor.class,
        UnsharedComponent.class
    };

    /** What JMeter keeps to itself and may change: how it starts, sends and stops tests, what it knows of them, and its windows. */
    private static final DescribedPredicate<JavaClass> INSIDES = resideInAnyPackage(
                    "org.apache.jmeter.engine..",
                    "org.apache.jmeter.functions..",
                    "org.apache.jmeter.gui..",
                    "org.apache.jmeter.rmi..",
                    "org.apache.jmeter.save..",
                    "org.apache.jmeter.services..",
                    "org.apache.jmeter.testbeans.gui..",
                    "org.apache.jmeter.visualizers.gui..",
                    "java.lang.reflect..")
            .or(name("org.apache.jmeter.threads.JMeterContextService"))
            .or(name("java.lang.StackWalker"))
            .and(not(belongToAnyOf(NoThreadClone.class, NoConfigMerge.class, RecordComponent.class)))
            .and(not(belongToAnyOf(WINDOW_OF_A_PLUGIN)))
            .as("JMeter's insides");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(HOUSE);

    @Test
    void every_class_stands_in_a_room_and_every_room_has_one() {
        Map<String, Long> classesByRoom = CLASSES.stream()
                .collect(Collectors.groupingBy(type -> roomOf(type.getPackageName()), Collectors.counting()));
        assertThat(classesByRoom.keySet()).containsExactlyInAnyOrderElementsOf(ROOMS);
    }

    @ParameterizedTest
    @FieldSource("ROOMS")
    void a_room_uses_only_rooms_above_it(String room) {
        String[] below = ROOMS.stream()
                .skip(ROOMS.indexOf(room) + 1L)
                .map(RoomsTest::packagesOf)
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(packagesOf(room))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(below)
                .check(CLASSES);
    }

    @Test
    void no_packages_use_each_other_in_a_circle() {
        slices().matching(HOUSE + ".(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void only_the_rooms_that_extend_jmeter_know_it() {
        noClasses()
                .that()
                .resideOutsideOfPackages(packagesOf(ROOMS_THAT_KNOW_JMETER))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.jmeter..")
                .check(CLASSES);
    }

    @Test
    void only_the_engine_reaches_into_jmeters_insides() {
        noClasses()
                .that()
                .resideOutsideOfPackage(packagesOf("engine"))
                .should()
                .dependOnClassesThat(INSIDES)
                .check(CLASSES);
    }

    @Test
    void only_what_a_window_shows_uses_swing() {
        classes()
                .that(resideInAnyPackage(HOUSE + ".."))
                .and()
                .resideOutsideOfPackages(packagesOf("view"), packagesOf("element"))
                .and(not(belongToAnyOf(JMeterWindow.class)))
                .should()
                .onlyDependOnClassesThat(not(resideInAnyPackage("javax.swing..", "java.awt..")))
                .check(CLASSES);
    }

    @Test
    void no_two_classes_share_a_name_tests_and_nested_ones_included() {
        Map<String, List<String>> classesByName = new ClassFileImporter()
                .importPackages(HOUSE).stream()
                        .filter(type -> !type.isAnonymousClass() && !type.isArray())
                        .filter(type -> !type.getSimpleName().equals("package-info"))
                        .collect(Collectors.groupingBy(
                                JavaClass::getSimpleName, Collectors.mapping(JavaClass::getName, Collectors.toList())));
        classesByName.values().removeIf(classes -> classes.size() == 1);
        assertThat(classesByName).isEmpty();
    }

    @Test
    void what_takes_more_than_seven_values_is_built_by_name() {
        List<String> calls = new ClassFileImporter()
                .importPackages(HOUSE).stream()
                        .flatMap(type -> type.getConstructors().stream())
                        .filter(constructor ->
                                constructor.getRawParameterTypes().size() > POSITIONS)
                        .flatMap(constructor -> constructor.getCallsOfSelf().stream())
                        .filter(call -> !fileOf(call.getOriginOwner()).equals(fileOf(call.getTargetOwner())))
                        .map(JavaConstructorCall::getDescription)
                        .toList();
        assertThat(calls).isEmpty();
    }

    /** Its own builder stands in the same file. */
    private static String fileOf(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "");
    }

    private static String roomOf(String packageName) {
        return packageName.length() == HOUSE.length()
                ? ""
                : packageName.substring(HOUSE.length() + 1).replaceFirst("\\..*", "");
    }

    private static String packagesOf(String room) {
        return HOUSE + "." + room + "..";
    }

    private static String[] packagesOf(List<String> rooms) {
        return rooms.stream().map(RoomsTest::packagesOf).toArray(String[]::new);
    }
}
