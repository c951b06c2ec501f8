package dev.seatrial.simulator.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * A small HTTP/1.1 server on loopback. Own code because the JDK's always sends the real date (a vendor's clock must be
 * ours to set), cannot reset a connection, and holds small answers back for tens of milliseconds.
 */
public final class LoopbackServer implements AutoCloseable {
    private static final int LARGEST_BODY = 1 << 20;
    private static final int LARGEST_HEAD = 32 << 10;
    private static final int IDLE_MILLIS = 120_000;
    private static final long PATIENCE_MILLIS = 2000;

    private final ServerSocket listener;
    private final InstantSource clock;
    private final Function<Request, Answer> handler;
    private final ExecutorService threads;
    private final Thread acceptor;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /**
     * Listens at once.
     *
     * @param port 0 = any free one
     * @param clock of the Date header
     */
    LoopbackServer(int port, InstantSource clock, Function<Request, Answer> handler) throws IOException {
        this.clock = clock;
        this.handler = handler;
        this.listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 1024);
        this.threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "simulator-http");
            thread.setDaemon(true);
            return thread;
        });
        this.acceptor = new Thread(this::accept, "simulator-http-accept");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                try {
                    threads.execute(() -> serve(socket));
                } catch (RejectedExecutionException e) {
                    // Came in while this server was being closed.
                    socket.close();
                }
            } catch (IOException e) {
                // Closing the listener ends the wait this way; a connection that broke while it was made concerns
                // nobody.
                continue;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(IDLE_MILLIS);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            boolean goOn = true;
            while (goOn) {
                Request request = read(in);
                goOn = write(socket, out, request, handler.apply(request));
            }
        } catch (IOException e) {
            // The client went away or does not speak HTTP: there is nobody to tell.
            return;
        } finally {
            open.remove(socket);
        }
    }

    private boolean write(Socket socket, OutputStream out, Request request, Answer answer) throws IOException {
        if (answer.ending() == Answer.Ending.DROPPED) {
            socket.setSoLinger(true, 0);
            return false;
        }
        boolean close = answer.ending() == Answer.Ending.CUT
                || "close".equalsIgnoreCase(request.headers().getOrDefault("connection", ""));
        StringBuilder head =
                new StringBuilder("HTTP/1.1 ").append(answer.status()).append(" Simulated\r\n");
        head.append("Date: ")
                .append(DateTimeFormatter.RFC_1123_DATE_TIME.format(
                        clock.instant().atOffset(ZoneOffset.UTC)))
                .append("\r\n");
        if (!answer.contentType().isEmpty()) {
            head.append("Content-Type: ").append(answer.contentType()).append("\r\n");
        }
        answer.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        boolean bodiless = answer.status() == 204;
        if (!bodiless) {
            head.append("Content-Length: ").append(answer.body().length).append("\r\n");
        }
        head.append("Connection: ").append(close ? "close" : "keep-alive").append("\r\n\r\n");
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        if (!bodiless) {
            whole.writeBytes(
                    answer.ending() == Answer.Ending.CUT
                            ? Arrays.copyOf(answer.body(), answer.body().length / 2)
                            : answer.body());
        }
        out.write(whole.toByteArray());
        out.flush();
        return !close;
    }

    private static Request read(InputStream in) throws IOException {
        String[] first = line(in).split(" ");
        if (first.length != 3) {
            throw new IOException("not a request line");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        int size = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            size += line.length();
            int colon = line.indexOf(':');
            if (colon < 1 || size > LARGEST_HEAD) {
                throw new IOException("not a header");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int length;
        try {
            length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        } catch (NumberFormatException e) {
            throw new IOException("not a length", e);
        }
        if (length < 0 || length > LARGEST_BODY || headers.containsKey("transfer-encoding")) {
            throw new IOException("a body of this kind is not taken");
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        try {
            URI target = new URI(first[1]);
            return new Request(first[0], target.getPath(), query(target.getRawQuery()), headers, body);
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new IOException("not a target", e);
        }
    }

    private static Map<String, String> query(@org.jspecify.annotations.Nullable String raw) {
        Map<String, String> query = new LinkedHashMap<>();
        for (String part : (raw == null ? "" : raw).split("&")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                query.put(
                        part.substring(0, equals),
                        URLDecoder.decode(part.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return query;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.length() > LARGEST_HEAD) {
                throw new EOFException();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Afterwards nothing listens and nothing is answered any more. */
    @Override
    public void close() throws IOException {
        listener.close();
        // A thread inside accept keeps the port open for a moment longer.
        try {
            acceptor.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdown();
        for (Socket socket : open) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
