package io.github.switchover.jmeter;

import com.google.gson.JsonObject;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Runs a test once with each case of a {@link Contract} table, as a JsonObject or a Map as the test declares. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(VectorSource.Cases.class)
public @interface VectorSource {

    String file();

    String table();

    final class Cases extends AnnotationBasedArgumentsProvider<VectorSource> {

        @Override
        protected Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context, VectorSource source) {
            Class<?> wanted = parameters.getFirst().orElseThrow().getParameterType();
            Stream<? extends Named<?>> cases = wanted == JsonObject.class
                    ? Contract.named(source.file(), source.table())
                    : Contract.plain(source.file(), source.table());
            return cases.map(Arguments::of);
        }
    }
}
