package dev.seatrial.app.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.seatrial.app.control.ControlTarget.Submission;
import dev.seatrial.app.control.ControlTarget.Submitted;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Steering of what runs in this process. Every call needs the token; a problem is answered as RFC 9457 says. */
@Path("/api/v1")
@Produces(MediaType.APPLICATION_JSON)
public class ControlResource {
    private static final String BEARER = "Bearer ";
    private static final String PROBLEM = "application/problem+json";
    private static final int UNPROCESSABLE = 422;
    private static final int LONGEST_KEY = 200;

    private final ControlAttachment attachment;

    @Inject
    public ControlResource(ControlAttachment attachment) {
        this.attachment = attachment;
    }

    /** Body of an approval. */
    public record Approval(boolean approved) {}

    @GET
    @Path("/evaluations/{id}")
    public JsonNode evaluation(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id) {
        return target(authorization, origin)
                .evaluation(id)
                .orElseThrow(() -> problem(404, "no such evaluation", "there is no evaluation " + id));
    }

    /** Checks a plan and starts it. The same key never starts a second evaluation. */
    @POST
    @Path("/evaluations")
    @Consumes({"application/yaml", MediaType.TEXT_PLAIN})
    public Response start(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            @HeaderParam("Accept-Language") @Nullable String language,
            @QueryParam("file") @Nullable String file,
            @QueryParam("partial") boolean partial,
            String yaml) {
        ControlTarget target = target(authorization, origin);
        if (key == null || key.isBlank() || key.length() > LONGEST_KEY) {
            throw problem(400, "key needed", "Idempotency-Key: 1 to " + LONGEST_KEY + " characters of your choice");
        }
        Locale locale = language != null && language.toLowerCase(Locale.ROOT).startsWith("zh")
                ? Locale.SIMPLIFIED_CHINESE
                : Locale.ENGLISH;
        Submitted submitted = target.submit(new Submission(yaml, planFile(file), partial, key, locale));
        if (submitted instanceof Submitted.Started started) {
            return Response.status(Response.Status.CREATED)
                    .location(URI.create("/api/v1/evaluations/" + started.evaluation()))
                    .entity(Map.of("evaluation", started.evaluation(), "unusable", started.unusable()))
                    .build();
        }
        if (submitted instanceof Submitted.Refused refused) {
            String why = refused.why().name().toLowerCase(Locale.ROOT);
            throw new WebApplicationException(Response.status(UNPROCESSABLE)
                    .type(PROBLEM)
                    .entity(Map.of(
                            "type",
                            "about:blank",
                            "title",
                            "not started, nothing rented",
                            "status",
                            UNPROCESSABLE,
                            "detail",
                            String.join("; ", refused.errors()),
                            "obstacle",
                            why,
                            "errors",
                            refused.errors(),
                            "unusable",
                            refused.unusable()))
                    .build());
        }
        throw problem(409, "key used", ((Submitted.Conflict) submitted).why());
    }

    private static java.nio.file.Path planFile(@Nullable String file) {
        try {
            java.nio.file.Path path = java.nio.file.Path.of(file == null ? "plan.yaml" : file);
            if (path.getFileName() == null) {
                throw problem(400, "no file name", "file: the plan's path, as problems shall name it");
            }
            return path;
        } catch (InvalidPathException e) {
            throw problem(400, "no file name", "file: " + e.getReason());
        }
    }

    @POST
    @Path("/evaluations/{id}/resume")
    public Response resume(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id) {
        Optional<String> refused = target(authorization, origin).resume(id);
        if (refused.isPresent()) {
            throw problem(409, "not resumed", refused.get());
        }
        return Response.accepted(Map.of("evaluation", id, "resuming", true)).build();
    }

    @POST
    @Path("/evaluations/{id}/cancel")
    public Response cancel(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id) {
        if (!target(authorization, origin).cancel(id)) {
            throw problem(409, "not running", "evaluation " + id + " does not run here");
        }
        return Response.accepted(Map.of("evaluation", id, "cancelling", true)).build();
    }

    /** Cancels every evaluation; whoever asks has stopped spending before. */
    @POST
    @Path("/stop")
    public Response stop(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin) {
        target(authorization, origin).stopAll();
        return Response.accepted(Map.of("stopping", true)).build();
    }

    @POST
    @Path("/evaluations/{id}/trials/{candidate}/approve")
    @Consumes(MediaType.APPLICATION_JSON)
    public Response approve(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id,
            @PathParam("candidate") String candidate,
            Approval approval) {
        Optional<String> refused = target(authorization, origin).approve(id, candidate, approval.approved());
        if (refused.isPresent()) {
            throw problem(409, "not waiting for an approval", refused.get());
        }
        return Response.ok(Map.of("evaluation", id, "candidate", candidate, "approved", approval.approved()))
                .build();
    }

    /** Body of a raised cap. @param candidate whose own; missing for the evaluation's */
    public record Cap(@Nullable String candidate, @Nullable BigDecimal cap) {}

    /** Pays for new leases only. */
    @POST
    @Path("/evaluations/{id}/cap")
    @Consumes(MediaType.APPLICATION_JSON)
    public Response raiseCap(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id,
            Cap body) {
        ControlTarget target = target(authorization, origin);
        BigDecimal cap = body.cap();
        if (cap == null) {
            throw problem(400, "no cap", "cap: the new cap, in the plan's currency");
        }
        done(target.raiseCap(id, Optional.ofNullable(body.candidate()), cap), "cap not raised");
        return Response.accepted(Map.of("evaluation", id, "cap", cap)).build();
    }

    /** Body of a skip. @param stage missing for whichever runs */
    public record Skip(@Nullable String stage) {}

    /** Leaves out the stage that runs. */
    @POST
    @Path("/evaluations/{id}/trials/{candidate}/skip")
    @Consumes(MediaType.APPLICATION_JSON)
    public Response skip(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id,
            @PathParam("candidate") String candidate,
            Skip body) {
        done(target(authorization, origin).skip(id, candidate, Optional.ofNullable(body.stage())), "not skipped");
        return Response.accepted(Map.of("evaluation", id, "candidate", candidate, "skipping", true))
                .build();
    }

    /** Ends one trial; the others go on. */
    @POST
    @Path("/evaluations/{id}/trials/{candidate}/cancel")
    public Response cancelTrial(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id,
            @PathParam("candidate") String candidate) {
        done(target(authorization, origin).cancelTrial(id, candidate), "not cancelled");
        return Response.accepted(Map.of("evaluation", id, "candidate", candidate, "cancelling", true))
                .build();
    }

    private static void done(Optional<String> refused, String title) {
        if (refused.isPresent()) {
            throw problem(409, title, refused.get());
        }
    }

    @POST
    @Path("/leases/{id}/release")
    public Response release(
            @HeaderParam("Authorization") @Nullable String authorization,
            @HeaderParam("Origin") @Nullable String origin,
            @PathParam("id") String id) {
        if (!target(authorization, origin).release(id)) {
            throw problem(409, "not held here", "no open lease " + id + " is held by this process");
        }
        return Response.accepted(Map.of("lease", id, "releasing", true)).build();
    }

    private ControlTarget target(@Nullable String authorization, @Nullable String origin) {
        ControlAttachment.Attached now =
                attachment.current().orElseThrow(() -> problem(503, "starting", "try again in a second"));
        // No page of any origin has business here; the token alone would do, a browser is kept out all the same.
        if (origin != null) {
            throw problem(403, "not for browsers", "requests with an Origin are refused");
        }
        String given = authorization != null && authorization.startsWith(BEARER)
                ? authorization.substring(BEARER.length())
                : "";
        if (!MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8), now.token().getBytes(StandardCharsets.UTF_8))) {
            throw problem(401, "token needed", "the token is in control.json of the data directory");
        }
        return now.target();
    }

    private static WebApplicationException problem(int status, String title, String detail) {
        return new WebApplicationException(Response.status(status)
                .type(PROBLEM)
                .entity(Map.of("type", "about:blank", "title", title, "status", status, "detail", detail))
                .build());
    }
}
