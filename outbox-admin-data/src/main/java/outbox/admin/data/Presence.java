package outbox.admin.data;

/** Which tables a database has. */
public record Presence(boolean outbox, boolean inbox, boolean joins) {}
