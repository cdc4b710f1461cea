package io.github.switchover.jmeter.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A certificate for {@code lb.test} and 127.0.0.1, made by the JDK's keytool. */
public final class Certificates {

    private static final String PASSWORD = "password";

    private final Path directory;

    public Certificates(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        keytool(
                "-genkeypair",
                "-alias",
                "lb",
                "-keyalg",
                "EC",
                "-dname",
                "CN=lb.test",
                "-ext",
                "san=dns:lb.test,ip:127.0.0.1");
        keytool("-exportcert", "-alias", "lb", "-rfc", "-file", pem().toString());
    }

    public Path pem() {
        return directory.resolve("lb.pem");
    }

    public SSLContext server() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store())) {
            store.load(file, PASSWORD.toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private Path store() {
        return directory.resolve("lb.p12");
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", store().toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.log").toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException(Files.readString(directory.resolve("keytool.log")));
        }
    }
}
