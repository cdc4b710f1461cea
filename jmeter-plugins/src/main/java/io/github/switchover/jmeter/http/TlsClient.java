package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.target.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The client side of https, with one TLS context for all connections to an endpoint. Thread-safe. */
public final class TlsClient {

    private static final String[] HTTP_1_1 = {"http/1.1"};

    private final SSLContext context;
    private final String name;
    private final boolean insecure;
    private final AtomicInteger connections = new AtomicInteger();

    private TlsClient(SSLContext context, String name, boolean insecure) {
        this.context = context;
        this.name = name;
        this.insecure = insecure;
        context.getClientSessionContext().setSessionCacheSize(1);
    }

    /** Returns the client for an endpoint. Throws UsageException if the CA certificates cannot be read. */
    public static TlsClient of(Endpoint endpoint) {
        String sni = endpoint.tls().sni();
        return new TlsClient(
                context(endpoint.tls().ca(), endpoint.tls().insecure()),
                sni == null || sni.isEmpty() ? endpoint.host() : sni,
                endpoint.tls().insecure());
    }

    SSLEngine engine() {
        // Sessions are not resumed, because a new client has no session with a new master. Java finds sessions
        // by name and port, so each connection gets a different number as its port.
        SSLEngine engine = context.createSSLEngine(name, connections.incrementAndGet() & Integer.MAX_VALUE);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(HTTP_1_1);
        if (!insecure) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        parameters.setServerNames(serverNames(name));
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Returns the server name to request. Addresses (RFC 6066 section 3) and names that Java refuses are not sent. */
    private static List<SNIServerName> serverNames(String host) {
        if (host.indexOf(':') >= 0 || host.matches("[0-9.]+")) {
            return List.of();
        }
        try {
            return List.of(new SNIHostName(host));
        } catch (IllegalArgumentException refused) {
            return List.of();
        }
    }

    private static SSLContext context(@Nullable Path ca, boolean insecure) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager[] valid = insecure ? new TrustManager[] {new TrustsAnybody()} : trust(ca);
            context.init(null, valid, null);
            return context;
        } catch (IOException error) {
            throw new UsageException(unreadable(ca, Reason.of(error)), error);
        } catch (GeneralSecurityException error) {
            throw new UsageException(unreadable(ca, Failures.messageOf(error)), error);
        }
    }

    private static String unreadable(@Nullable Path ca, String reason) {
        return "cannot read CA certificates in " + (ca == null ? "this Java's own store" : ca) + ": " + reason
                + ": give a PEM file as 'ca'";
    }

    private static TrustManager @Nullable [] trust(@Nullable Path ca) throws IOException, GeneralSecurityException {
        if (ca == null) {
            return null;
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream file = Files.newInputStream(ca)) {
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
            if (number == 0) {
                throw new GeneralSecurityException("no certificate in it");
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /** The trust manager of {@code insecure = true}. Java still refuses certificates with weak keys. */
    private static final class TrustsAnybody implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
