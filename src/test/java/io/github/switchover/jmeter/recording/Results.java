package io.github.switchover.jmeter.recording;

import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleResult;

/** Results as samplers make them. */
final class Results {

    private Results() {}

    static SampleResult good(String label, String backend) {
        return answer(label, "200", "http://vip/" + label, "X-Backend: " + backend + "\nX-Balancer: lb1\n");
    }

    static SampleResult answer(String label, String code, String url, String headers) {
        SampleResult result = new SampleResult();
        result.sampleStart();
        result.sampleEnd();
        result.setSampleLabel(label);
        result.setThreadName("users 1-1");
        result.setResponseCode(code);
        result.setResponseMessage("told");
        result.setSuccessful(code.startsWith("2") || code.startsWith("3"));
        result.setResponseHeaders("HTTP/1.1 " + code + " told\n" + headers);
        result.setURL(url(url));
        result.setBytes(100L);
        result.setAllThreads(7);
        return result;
    }

    static SampleResult at(SampleResult template, long startMs, long endMs) {
        SampleResult result = new SampleResult();
        result.setStampAndTime(endMs, endMs - startMs);
        result.setSampleLabel(template.getSampleLabel());
        result.setThreadName(template.getThreadName());
        result.setResponseCode(template.getResponseCode());
        result.setSuccessful(template.isSuccessful());
        result.setResponseHeaders(template.getResponseHeaders());
        result.setURL(template.getURL());
        result.setAllThreads(template.getAllThreads());
        return result;
    }

    static SampleResult refused(String label) {
        SampleResult result = new SampleResult();
        result.sampleStart();
        result.sampleEnd();
        result.setSampleLabel(label);
        result.setResponseCode("Non HTTP response code: org.apache.http.conn.HttpHostConnectException");
        result.setResponseMessage("Non HTTP response message: Connect to vip:80 failed: Connection refused");
        result.setSuccessful(false);
        return result;
    }

    static SampleEvent event(SampleResult result) {
        return new SampleEvent(result, "users");
    }

    static URL url(String text) {
        try {
            return URI.create(text).toURL();
        } catch (MalformedURLException error) {
            throw new IllegalArgumentException(error);
        }
    }
}
