package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.Accounting;
import dev.seatrial.app.provider.Providers;
import dev.seatrial.provider.Account;
import dev.seatrial.provider.Capabilities;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ProviderId;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Configured accounts with their traits, computed from the adapters; {@code verify} asks each whether its key works. */
@Command(name = "providers", mixinStandardHelpOptions = true)
final class ProvidersCommand extends Base {
    @Parameters(index = "0", arity = "0..1", paramLabel = "verify", descriptionKey = "provider.verify")
    Optional<String> action = Optional.empty();

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", descriptionKey = "provider.name")
    Optional<String> only = Optional.empty();

    @Override
    int run(Ui ui) throws Problem {
        if (action.isPresent() && !action.get().equals("verify")) {
            throw new Problem(ExitCode.USAGE, "providers [verify [NAME]]");
        }
        try (Accounting accounts = Accounting.open(settings(ui), Clock.systemUTC())) {
            Providers providers = accounts.providers();
            List<ProviderId> names = providers.names();
            if (only.isPresent()) {
                ProviderId wanted = OwnerAccess.provider(only.get(), ui);
                if (!names.contains(wanted)) {
                    throw new Problem(ExitCode.USAGE, ui.say("provider.unknown", wanted));
                }
                names = List.of(wanted);
            }
            ObjectNode doc = JsonNodeFactory.instance.objectNode();
            ArrayNode list = doc.putArray("providers");
            boolean good = true;
            for (ProviderId id : names) {
                ObjectNode node = list.addObject();
                node.put("provider", id.value());
                node.put("kind", providers.kind(id));
                try {
                    good &= action.isPresent() ? verify(ui, providers.get(id), node) : traits(ui, providers, id, node);
                } catch (ProviderException e) {
                    good = false;
                    failed(ui, node, id, e.kind() + ": " + e.words());
                } catch (Providers.ConfigException e) {
                    good = false;
                    failed(ui, node, id, String.valueOf(e.getMessage()));
                }
            }
            ui.document(doc);
            return good ? ExitCode.OK : ExitCode.FAILED;
        }
    }

    private static void failed(Ui ui, ObjectNode node, ProviderId id, String why) {
        ui.out(ui.say("providers.failed", id, why));
        node.put("error", why);
    }

    private static boolean verify(Ui ui, Provider provider, ObjectNode node) {
        Account account = provider.verify();
        node.put("account", account.label());
        ArrayNode missing = node.putArray("missing");
        account.missing().stream().sorted().forEach(missing::add);
        if (!account.missing().isEmpty()) {
            ui.out(ui.say("providers.missing", provider.id(), String.join(", ", account.missing())));
            return false;
        }
        ui.out(ui.say(
                "providers.verified", provider.id(), account.label().isEmpty() ? "" : " (" + account.label() + ")"));
        return true;
    }

    private static boolean traits(Ui ui, Providers providers, ProviderId id, ObjectNode node) {
        Capabilities c = providers.get(id).capabilities();
        ui.out(ui.say("providers.line", id, providers.kind(id), c.simulated() ? " " + ui.say("simulated.tag") : ""));
        ObjectNode traits = node.putObject("traits");
        flag(ui, traits, "token", c.idempotencyToken());
        String deadline = c.serverDeadline()
                .map(d -> ui.say(
                        "trait.deadline.value",
                        d.floor().toSeconds(),
                        d.precision().toSeconds()))
                .orElse(ui.say("providers.no"));
        ui.out(ui.say("providers.trait", ui.say("trait.deadline"), deadline));
        traits.put("serverDeadline", c.serverDeadline().isPresent());
        flag(ui, traits, "shutdown", c.shutdownEndsBill());
        flag(ui, traits, "owner", c.outsideOwner());
        flag(ui, traits, "cost", c.cost());
        flag(ui, traits, "balance", c.balance());
        seconds(ui, traits, "settle", c.settleWindow().toSeconds());
        seconds(ui, traits, "allowance", c.releaseAllowance().toSeconds());
        if (!c.notes().isEmpty()) {
            ui.out(ui.say("providers.trait", ui.say("trait.notes"), c.notes()));
        }
        traits.put("simulated", c.simulated());
        traits.put("borrowed", c.borrowed());
        traits.put("notes", c.notes());
        return true;
    }

    private static void flag(Ui ui, ObjectNode traits, String key, boolean value) {
        ui.out(ui.say("providers.trait", ui.say("trait." + key), ui.say(value ? "providers.yes" : "providers.no")));
        traits.put(key, value);
    }

    private static void seconds(Ui ui, ObjectNode traits, String key, long value) {
        ui.out(ui.say("providers.trait", ui.say("trait." + key), ui.say("seconds", value)));
        traits.put(key + "Seconds", value);
    }
}
