import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

public class Crash_74dd55af62b47f934b81198685c5cec27506c936 {
    static final String base64Bytes = String.join("", "cwojIHB4bmFtZSwBAXBiMSwxLArPc2hvYCwsLHdkYjAsM4kpLAoK");

    public static void main(String[] args) throws Throwable {
        Crash_74dd55af62b47f934b81198685c5cec27506c936.class.getClassLoader().setDefaultAssertionStatus(true);
        try {
            Method fuzzerInitialize = io.github.switchover.jmeter.fuzz.Fuzzed.class.getMethod("fuzzerInitialize");
            fuzzerInitialize.invoke(null);
        } catch (NoSuchMethodException ignored) {
            try {
                Method fuzzerInitialize = io.github.switchover.jmeter.fuzz.Fuzzed.class.getMethod("fuzzerInitialize", String[].class);
                fuzzerInitialize.invoke(null, (Object) args);
            } catch (NoSuchMethodException ignored1) {
            } catch (IllegalAccessException | InvocationTargetException e) {
                e.printStackTrace();
                System.exit(1);
            }
        } catch (IllegalAccessException | InvocationTargetException e) {
            e.printStackTrace();
            System.exit(1);
        }
        byte[] input = java.util.Base64.getDecoder().decode(base64Bytes);
        io.github.switchover.jmeter.fuzz.Fuzzed.fuzzerTestOneInput(input);
    }
}