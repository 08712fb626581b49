import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Checks that every public type and method that users can name says what it does: it has a Javadoc,
 * and that does not begin with "The same" or "As above". A method that overrides another one
 * inherits its Javadoc; the accessor of a record component has that of the component.
 *
 * <p>Run as {@code java tools/PublicDocs.java <root> <module>…}. Ends with status 1 and lists those
 * that say nothing.
 */
public final class PublicDocs {
  private static final Pattern EXPORTS = Pattern.compile("exports ([\\w.]+);");
  private static final Pattern EMPTY_WORDS = Pattern.compile("(?s)\\s*(The same|As above)\\b.*");

  private final DocTrees docs;
  private final List<String> problems = new ArrayList<>();
  private int checked;

  private PublicDocs(DocTrees docs) {
    this.docs = docs;
  }

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    List<Path> files = new ArrayList<>();
    for (int i = 1; i < args.length; i++) {
      files.addAll(exportedSources(root.resolve(args[i]).resolve("src/main/java")));
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  diagnostic -> {},
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      PublicDocs check = new PublicDocs(DocTrees.instance(task));
      for (CompilationUnitTree unit : task.parse()) {
        TreePath path = new TreePath(unit);
        for (Tree type : unit.getTypeDecls()) {
          if (type instanceof ClassTree declared) {
            check.type(new TreePath(path, declared), String.valueOf(unit.getPackageName()));
          }
        }
      }
      check.report();
    }
  }

  private static List<Path> exportedSources(Path sources) throws IOException {
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    Path info = sources.resolve("module-info.java");
    Set<String> exported =
        Files.exists(info)
            ? EXPORTS
                .matcher(Files.readString(info))
                .results()
                .map(match -> match.group(1).replace('.', '/'))
                .collect(Collectors.toSet())
            : Set.of();
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("module-info.java") && !file.endsWith("package-info.java"))
          .filter(
              file -> {
                String folder = sources.relativize(file.getParent()).toString().replace('\\', '/');
                return exported.isEmpty() || exported.contains(folder);
              })
          .sorted()
          .toList();
    }
  }

  private void type(TreePath path, String outer) {
    ClassTree type = (ClassTree) path.getLeaf();
    boolean inInterface = isInterface(path.getParentPath().getLeaf());
    if (!inInterface && !isVisible(type.getModifiers())) {
      return;
    }
    String name = outer + "." + type.getSimpleName();
    document(path, name);
    for (Tree member : type.getMembers()) {
      if (member instanceof ClassTree) {
        type(new TreePath(path, member), name);
      } else if (member instanceof MethodTree method && isChecked(type, method)) {
        document(new TreePath(path, member), name + "#" + signature(method));
      }
    }
  }

  private static boolean isInterface(Tree tree) {
    return tree.getKind() == Tree.Kind.INTERFACE || tree.getKind() == Tree.Kind.ANNOTATION_TYPE;
  }

  private static boolean isChecked(ClassTree type, MethodTree method) {
    Set<Modifier> modifiers = method.getModifiers().getFlags();
    boolean visible =
        isInterface(type)
            ? !modifiers.contains(Modifier.PRIVATE)
            : isVisible(method.getModifiers());
    boolean overrides =
        method.getModifiers().getAnnotations().stream()
            .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
    boolean constructor = method.getReturnType() == null;
    return visible && !overrides && !constructor;
  }

  private static boolean isVisible(ModifiersTree modifiers) {
    return modifiers.getFlags().contains(Modifier.PUBLIC)
        || modifiers.getFlags().contains(Modifier.PROTECTED);
  }

  private static String signature(MethodTree method) {
    return method.getName()
        + method.getParameters().stream()
            .map(each -> String.valueOf(each.getType()))
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private void document(TreePath path, String name) {
    checked++;
    CompilationUnitTree unit = path.getCompilationUnit();
    long line =
        unit.getLineMap()
            .getLineNumber(docs.getSourcePositions().getStartPosition(unit, path.getLeaf()));
    String place = Path.of(unit.getSourceFile().getName()).getFileName() + ":" + line + " " + name;
    DocCommentTree comment = docs.getDocCommentTree(path);
    if (comment == null) {
      problems.add(place + " has no Javadoc");
    } else if (EMPTY_WORDS.matcher(comment.getFullBody().toString()).matches()) {
      problems.add(place + " has a Javadoc that does not say what it does");
    }
  }

  private void report() {
    problems.forEach(System.out::println);
    if (!problems.isEmpty()) {
      System.out.println(
          problems.size()
              + " public types and methods must say what they do, from scratch; if two differ by"
              + " one argument, say the difference: \"As {@link #x}, in the connection's"
              + " transaction\".");
      System.exit(1);
    }
    System.out.println(checked + " public types and methods have a Javadoc");
  }
}
