package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleReader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The samples of several files, one after the other; read anew each time, and never held. */
final class SampleLog implements Iterable<Sample> {

    private final List<Path> paths;
    private final Ignored ignored;
    private boolean counted;

    /** {@code ignored}: what could not be read, counted the first time. */
    SampleLog(List<Path> paths, Ignored ignored) {
        this.paths = List.copyOf(paths);
        this.ignored = ignored;
    }

    @Override
    public Iterator<Sample> iterator() {
        Ignored leftOut = counted ? new Ignored() : ignored;
        counted = true;
        return new Walk(paths.iterator(), leftOut);
    }

    /** One walk through all of them; a file is closed at its end. */
    private static final class Walk implements Iterator<Sample> {

        private final Iterator<Path> paths;
        private final Ignored ignored;
        private Iterator<Sample> current = Collections.emptyIterator();

        Walk(Iterator<Path> paths, Ignored ignored) {
            this.paths = paths;
            this.ignored = ignored;
        }

        @Override
        public boolean hasNext() {
            while (!current.hasNext() && paths.hasNext()) {
                current = new SampleReader(paths.next(), ignored);
            }
            return current.hasNext();
        }

        @Override
        public Sample next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return current.next();
        }
    }
}
