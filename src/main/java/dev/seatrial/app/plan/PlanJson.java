package dev.seatrial.app.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.plan.Plan;
import dev.seatrial.workflow.Payloads;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A complete plan as the ledger keeps it, and its hash. */
public final class PlanJson {
    private static final ObjectMapper MAPPER = Payloads.mapper();

    private PlanJson() {}

    /** One line; the same plan gives the same text. */
    public static String write(Plan plan) {
        return text(tree(plan));
    }

    /** @throws IllegalArgumentException when the text is no plan */
    public static Plan read(String json) {
        try {
            return MAPPER.readValue(json, Plan.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a stored plan: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * SHA-256, hex, of the plan without its hash and without the moment at which it must end: the same plan on another
     * night is the same plan.
     */
    public static String hash(Plan plan) {
        ObjectNode tree = tree(plan);
        tree.remove("hash");
        ((ObjectNode) tree.path("limits")).remove("until");
        if (plan.expect().isEmpty()) {
            // The hash of a plan without bounds is what it was before there were any.
            tree.remove("expect");
        }
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(text(tree).getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static Plan hashed(Plan p) {
        return new Plan(
                p.name(),
                hash(p),
                p.preset(),
                p.budget(),
                p.candidates(),
                p.singleStages(),
                p.multi(),
                p.stability(),
                p.task(),
                p.networkUrls(),
                p.storageDir(),
                p.limits(),
                p.accept(),
                p.approvalTimeout(),
                p.expect());
    }

    private static ObjectNode tree(Plan plan) {
        ObjectNode tree = MAPPER.valueToTree(plan);
        // The only set; maps are written in order already.
        ArrayNode accept = tree.putArray("accept");
        plan.accept().stream().sorted().forEach(accept::add);
        return tree;
    }

    private static String text(JsonNode tree) {
        try {
            return MAPPER.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }
}
