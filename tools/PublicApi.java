import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.QualifiedNameable;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ErrorType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.Elements;
import javax.lang.model.util.SimpleTypeVisitor14;
import javax.tools.ToolProvider;

/**
 * Lists what users of each published module can name: every public and protected type and member of
 * the packages that its {@code module-info} exports to all, or of all packages where it has none,
 * and its Spring properties. Reads the compiled classes, and compares the list with the module's
 * {@code api.txt}.
 *
 * <p>Run as {@code java tools/PublicApi.java <root> [--accept]} after a build; {@code --accept}
 * writes the files. Ends with status 1 if one of them differs.
 */
public final class PublicApi {
  private static final Pattern MANAGED =
      Pattern.compile("<artifactId>(outbox-[a-z0-9-]+)</artifactId>\\s*<version>");
  private static final Pattern MODULE = Pattern.compile("<module>(.+)</module>");
  private static final Pattern SPRING_PROPERTY =
      Pattern.compile("\\{\\s*\"name\": \"([^\"]+)\",\\s*\"type\": \"([^\"]+)\"([^{}]*)\\}");
  private static final Pattern SPRING_DEFAULT = Pattern.compile("\"defaultValue\": ([^\\n]*)");

  /** Everything declares these; that a class overrides one is not a change for its users. */
  private static final Set<String> OF_OBJECT = Set.of("toString()", "hashCode()", "equals(Object)");

  /** Constructors first, then members by name, and those of one name by the rest of their text. */
  private static final Comparator<String> BY_NAME =
      Comparator.<String, Boolean>comparing(line -> !line.contains("new("))
          .thenComparing(line -> line.replaceAll("(\\(| = ).*", "").replaceAll(".* ", ""))
          .thenComparing(Comparator.naturalOrder());

  private static final Set<Modifier> SHOWN =
      EnumSet.of(
          Modifier.PROTECTED,
          Modifier.STATIC,
          Modifier.ABSTRACT,
          Modifier.DEFAULT,
          Modifier.FINAL,
          Modifier.SEALED,
          Modifier.NON_SEALED);

  private final Elements elements;
  private final Path classes;
  private final Predicate<String> exported;

  private PublicApi(Elements elements, Path classes) throws IOException {
    this.elements = elements;
    this.classes = classes;
    this.exported = exportedPackages(classes);
  }

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    boolean accept = args.length > 1 && args[1].equals("--accept");
    List<String> problems = new ArrayList<>();
    List<String> published = published(root);
    requireEveryModuleDecided(root, published, problems);
    Elements elements = elements(root, published);
    int lines = 0;
    for (String module : published) {
      List<String> api = new PublicApi(elements, root.resolve(module + "/target/classes")).list();
      lines += (int) api.stream().filter(line -> !line.isEmpty()).count();
      compare(root.resolve(module + "/api.txt"), heading(module, api), accept, problems);
    }
    problems.forEach(System.out::println);
    if (!problems.isEmpty()) {
      System.exit(1);
    }
    System.out.printf(
        "%d modules, %d types, members and properties in the public API%n",
        published.size(), lines);
  }

  /** The BOM names what is published. */
  private static List<String> published(Path root) throws IOException {
    String bom = Files.readString(root.resolve("outbox-bom/pom.xml"));
    return matches(MANAGED, bom.substring(bom.indexOf("<dependencyManagement>")));
  }

  private static void requireEveryModuleDecided(
      Path root, List<String> published, List<String> problems) throws IOException {
    for (String module : matches(MODULE, Files.readString(root.resolve("pom.xml")))) {
      boolean unpublished =
          Files.readString(root.resolve(module + "/pom.xml"))
              .contains("<skipPublishing>true</skipPublishing>");
      if (!module.equals("outbox-bom") && unpublished == published.contains(module)) {
        problems.add(
            module
                + ": a module is either in outbox-bom/pom.xml, or has maven.deploy.skip and"
                + " skipPublishing in the properties of its POM");
      }
    }
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1)).sorted().toList();
  }

  /** Classes of dependencies are not needed: their names stand in the classes that use them. */
  private static Elements elements(Path root, List<String> published) {
    String path =
        published.stream()
            .map(module -> root.resolve(module + "/target/classes").toString())
            .collect(Collectors.joining(System.getProperty("path.separator")));
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(
                    null,
                    null,
                    diagnostic -> {},
                    List.of("-proc:none", "-classpath", path),
                    List.of("java.lang.Object"),
                    null);
    return task.getElements();
  }

  private static Predicate<String> exportedPackages(Path classes) throws IOException {
    Path info = classes.resolve("module-info.class");
    if (!Files.exists(info)) {
      return name -> true;
    }
    try (InputStream in = Files.newInputStream(info)) {
      return ModuleDescriptor.read(in).exports().stream()
              .filter(export -> !export.isQualified())
              .map(ModuleDescriptor.Exports::source)
              .collect(Collectors.toSet())
          ::contains;
    }
  }

  private static String heading(String module, List<String> api) {
    return "# Public API of "
        + module
        + ", listed by './api --accept'; './check' compares it with the classes.\n"
        + String.join("\n", api)
        + "\n";
  }

  private static void compare(Path file, String api, boolean accept, List<String> problems)
      throws IOException {
    String module = String.valueOf(file.getName(file.getNameCount() - 2));
    String before = Files.exists(file) ? Files.readString(file).replace("\r\n", "\n") : "";
    if (before.equals(api)) {
      return;
    }
    if (accept) {
      Files.writeString(file, api);
      System.out.println(module + "/api.txt written");
      return;
    }
    Set<String> old = qualified(before);
    Set<String> now = qualified(api);
    old.stream().filter(line -> !now.contains(line)).forEach(l -> problems.add("- " + l));
    now.stream().filter(line -> !old.contains(line)).forEach(l -> problems.add("+ " + l));
    problems.add(
        ("%1$s: the public API is not that of %1$s/api.txt. docs/versioning.md says what it"
                + " promises. If the change is meant, run './api --accept' and commit the file,"
                + " with a line in CHANGELOG.md.")
            .formatted(module));
  }

  /** Each member with the name of its type, so that a difference can be read by itself. */
  private static Set<String> qualified(String api) {
    Set<String> lines = new TreeSet<>();
    String type = "";
    for (String line : api.lines().filter(each -> !each.startsWith("#")).toList()) {
      if (!line.startsWith("  ") && !line.isEmpty()) {
        type = line.replaceAll("^.*?((class|interface|enum|record) \\S+).*$", "$1");
        lines.add(line);
      } else if (!line.isEmpty()) {
        lines.add(type + ": " + line.strip());
      }
    }
    return lines;
  }

  private List<String> list() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String name : topLevelClasses()) {
      TypeElement type = elements.getTypeElement(name);
      if (type == null) {
        throw new IOException(classes + " has no class " + name + "; build it first");
      }
      append(type, lines);
    }
    properties().forEach(lines::add);
    return lines;
  }

  private List<String> topLevelClasses() throws IOException {
    if (!Files.isDirectory(classes)) {
      throw new IOException(classes + " does not exist; build it first");
    }
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.endsWith(".class") && name.contains("/"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(name -> !name.contains("$") && !name.endsWith(".package-info"))
          .filter(name -> exported.test(name.substring(0, name.lastIndexOf('.'))))
          .sorted()
          .toList();
    }
  }

  private void append(TypeElement type, List<String> lines) {
    if (!isVisible(type)) {
      return;
    }
    lines.add("");
    lines.add(describe(type));
    Set<String> members = new TreeSet<>(BY_NAME);
    addMembers(type, type, members);
    members.forEach(member -> lines.add("  " + member));
    type.getEnclosedElements().stream()
        .filter(TypeElement.class::isInstance)
        .map(TypeElement.class::cast)
        .sorted((a, b) -> a.getSimpleName().toString().compareTo(b.getSimpleName().toString()))
        .forEach(nested -> append(nested, lines));
  }

  private static boolean isVisible(Element element) {
    Set<Modifier> modifiers = element.getModifiers();
    return modifiers.contains(Modifier.PUBLIC) || modifiers.contains(Modifier.PROTECTED);
  }

  /** Also what a hidden type above the shown one gives it: users can call that, too. */
  private void addMembers(TypeElement type, TypeElement shown, Set<String> members) {
    for (Element member : type.getEnclosedElements()) {
      if (isVisible(member) && (type == shown || member.getKind() != ElementKind.CONSTRUCTOR)) {
        member(member, shown).ifPresent(members::add);
      }
    }
    Stream.concat(Stream.of(type.getSuperclass()), type.getInterfaces().stream())
        .filter(DeclaredType.class::isInstance)
        .map(above -> (TypeElement) ((DeclaredType) above).asElement())
        .filter(this::isHidden)
        .forEach(above -> addMembers(above, shown, members));
  }

  private boolean isHidden(TypeElement type) {
    String name = type.getQualifiedName().toString();
    Path file =
        classes.resolve(elements.getBinaryName(type).toString().replace('.', '/') + ".class");
    return Files.exists(file) && (!isVisible(type) || !exported.test(packageOf(name)));
  }

  private static String packageOf(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  private String describe(TypeElement type) {
    StringBuilder text = new StringBuilder(deprecation(type));
    boolean plain =
        type.getKind() == ElementKind.ENUM
            || type.getKind() == ElementKind.RECORD
            || type.getKind().isInterface();
    for (Modifier modifier : type.getModifiers()) {
      boolean implied =
          plain
              && (modifier == Modifier.FINAL
                  || modifier == Modifier.ABSTRACT
                  || modifier == Modifier.STATIC);
      if (SHOWN.contains(modifier) && !implied) {
        text.append(modifier).append(' ');
      }
    }
    text.append(
        type.getKind() == ElementKind.ANNOTATION_TYPE
            ? "@interface"
            : type.getKind().name().toLowerCase(Locale.ROOT));
    text.append(' ').append(type.getQualifiedName()).append(parameters(type.getTypeParameters()));
    if (type.getKind() == ElementKind.CLASS && !name(type.getSuperclass()).equals("Object")) {
      text.append(" extends ").append(name(type.getSuperclass()));
    }
    append(text, type.getKind().isInterface() ? " extends " : " implements ", type.getInterfaces());
    append(text, " permits ", type.getPermittedSubclasses());
    return text.toString();
  }

  private void append(StringBuilder text, String word, List<? extends TypeMirror> types) {
    List<String> names =
        types.stream()
            .map(this::name)
            .filter(name -> !name.equals("annotation.Annotation"))
            .sorted()
            .toList();
    if (!names.isEmpty()) {
      text.append(word).append(String.join(", ", names));
    }
  }

  private Optional<String> member(Element member, TypeElement shown) {
    return switch (member.getKind()) {
      case ENUM_CONSTANT -> Optional.of("constant " + member.getSimpleName());
      case FIELD -> Optional.of(field((VariableElement) member, shown));
      case METHOD, CONSTRUCTOR -> executable((ExecutableElement) member, shown);
      default -> Optional.empty();
    };
  }

  private String field(VariableElement field, TypeElement shown) {
    Object value = field.getConstantValue();
    return deprecation(field)
        + modifiers(field, shown)
        + name(field.asType())
        + " "
        + field.getSimpleName()
        + (value == null ? "" : " = " + elements.getConstantExpression(value));
  }

  private Optional<String> executable(ExecutableElement method, TypeElement shown) {
    StringBuilder text = new StringBuilder();
    List<? extends VariableElement> arguments = method.getParameters();
    for (int i = 0; i < arguments.size(); i++) {
      String type = name(arguments.get(i).asType());
      boolean varargs = method.isVarArgs() && i == arguments.size() - 1;
      text.append(i == 0 ? "" : ", ");
      text.append(varargs ? type.substring(0, type.length() - 2) + "..." : type);
    }
    boolean constructor = method.getKind() == ElementKind.CONSTRUCTOR;
    String call = (constructor ? "new" : method.getSimpleName()) + "(" + text + ")";
    boolean impliedByEnum =
        shown.getKind() == ElementKind.ENUM
            && (call.equals("values()") || call.equals("valueOf(String)"));
    if (OF_OBJECT.contains(call) || impliedByEnum) {
      return Optional.empty();
    }
    StringBuilder whole = new StringBuilder(deprecation(method)).append(modifiers(method, shown));
    String variables = parameters(method.getTypeParameters());
    whole.append(variables.isEmpty() ? "" : variables + " ");
    whole.append(constructor ? "" : name(method.getReturnType()) + " ").append(call);
    append(whole, " throws ", method.getThrownTypes());
    if (method.getDefaultValue() != null) {
      whole.append(" default ").append(method.getDefaultValue());
    }
    return Optional.of(whole.toString());
  }

  private String deprecation(Element element) {
    return elements.isDeprecated(element) ? "@Deprecated " : "";
  }

  /** Without those that the type implies: a method of a final class or of an interface. */
  private static String modifiers(Element member, TypeElement shown) {
    boolean isInterface = shown.getKind().isInterface();
    boolean isFinal =
        shown.getModifiers().contains(Modifier.FINAL) || shown.getKind() == ElementKind.ENUM;
    StringBuilder text = new StringBuilder();
    for (Modifier modifier : member.getModifiers()) {
      boolean implied =
          isInterface && modifier == Modifier.ABSTRACT
              || isFinal && modifier == Modifier.FINAL && member instanceof ExecutableElement;
      if (SHOWN.contains(modifier) && !implied) {
        text.append(modifier).append(' ');
      }
    }
    return text.toString();
  }

  private String parameters(List<? extends TypeParameterElement> parameters) {
    if (parameters.isEmpty()) {
      return "";
    }
    return parameters.stream()
        .map(
            parameter -> {
              List<String> bounds =
                  parameter.getBounds().stream()
                      .map(this::name)
                      .filter(bound -> !bound.equals("Object"))
                      .toList();
              return parameter.getSimpleName()
                  + (bounds.isEmpty() ? "" : " extends " + String.join(" & ", bounds));
            })
        .collect(Collectors.joining(", ", "<", ">"));
  }

  private String name(TypeMirror type) {
    return new Names().visit(type);
  }

  /** Types as one writes them, without annotations, which not every JDK reads from a class. */
  private static final class Names extends SimpleTypeVisitor14<String, Void> {
    @Override
    protected String defaultAction(TypeMirror type, Void unused) {
      return type.getKind().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String visitDeclared(DeclaredType type, Void unused) {
      String name = ((QualifiedNameable) type.asElement()).getQualifiedName().toString();
      String arguments =
          type.getTypeArguments().isEmpty()
              ? ""
              : type.getTypeArguments().stream()
                  .map(this::visit)
                  .collect(Collectors.joining(", ", "<", ">"));
      return (name.startsWith("java.lang.") ? name.substring("java.lang.".length()) : name)
          + arguments;
    }

    @Override
    public String visitError(ErrorType type, Void unused) {
      return visitDeclared(type, unused);
    }

    @Override
    public String visitArray(ArrayType type, Void unused) {
      return visit(type.getComponentType()) + "[]";
    }

    @Override
    public String visitTypeVariable(TypeVariable type, Void unused) {
      return type.asElement().getSimpleName().toString();
    }

    @Override
    public String visitIntersection(IntersectionType type, Void unused) {
      return type.getBounds().stream().map(this::visit).collect(Collectors.joining(" & "));
    }

    @Override
    public String visitWildcard(WildcardType type, Void unused) {
      if (type.getExtendsBound() != null) {
        return "? extends " + visit(type.getExtendsBound());
      }
      return type.getSuperBound() == null ? "?" : "? super " + visit(type.getSuperBound());
    }
  }

  private List<String> properties() throws IOException {
    Path file = classes.resolve("META-INF/spring-configuration-metadata.json");
    if (!Files.exists(file)) {
      return List.of();
    }
    String text = Files.readString(file);
    int begin = Math.max(0, text.indexOf("\"properties\""));
    Matcher property = SPRING_PROPERTY.matcher(text.substring(begin));
    Set<String> lines = new TreeSet<>();
    while (property.find()) {
      Matcher value = SPRING_DEFAULT.matcher(property.group(3));
      lines.add(
          "property "
              + property.group(1)
              + ": "
              + property.group(2).replace("java.lang.", "")
              + (value.find() ? " = " + value.group(1).strip() : ""));
    }
    List<String> all = new ArrayList<>(List.of(""));
    all.addAll(lines);
    return all;
  }
}
