package io.github.switchover.jmeter.view;

import java.awt.datatransfer.DataFlavor;
import java.awt.datatransfer.UnsupportedFlavorException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import javax.swing.TransferHandler;

/** Opens what is dropped upon a component. */
final class DroppedPath extends TransferHandler {

    private static final long serialVersionUID = 1L;

    private final transient Consumer<Path> open;

    DroppedPath(Consumer<Path> open) {
        this.open = open;
    }

    @Override
    public boolean canImport(TransferSupport support) {
        return support.isDataFlavorSupported(DataFlavor.javaFileListFlavor);
    }

    @Override
    public boolean importData(TransferSupport support) {
        try {
            Object data = support.getTransferable().getTransferData(DataFlavor.javaFileListFlavor);
            if (data instanceof List<?> files && !files.isEmpty() && files.get(0) instanceof File file) {
                open.accept(file.toPath());
                return true;
            }
            return false;
        } catch (UnsupportedFlavorException | IOException error) {
            return false;
        }
    }
}
