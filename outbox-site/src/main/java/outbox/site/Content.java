package outbox.site;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.CoreHtmlNodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.html.HtmlWriter;

/** The HTML of a page's Markdown: links lead to the pages of the site. */
final class Content {
  private static final String TABLE =
      "<div class=\"table\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>";

  /** A cell with more characters gets room on a narrow screen. */
  private static final int LONG_CELL = 30;

  private Content() {}

  static String of(Page page) {
    Map<Node, String> anchors = new HashMap<>();
    page.sections().forEach(section -> anchors.put(section.heading(), section.anchor()));
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(List.of(TablesExtension.create()))
            .attributeProviderFactory(
                context -> (node, tag, attributes) -> decorate(page, node, attributes))
            .nodeRendererFactory(context -> new Blocks(context, anchors))
            .build();
    return renderer
        .render(page.document())
        .replace("<table>", TABLE)
        .replace("</table>", "</table></div>");
  }

  private static void decorate(Page page, Node node, Map<String, String> attributes) {
    if (node instanceof TableCell && PlainText.of(node).length() > LONG_CELL) {
      attributes.put("class", "long");
    }
    String attribute = node instanceof Image ? "src" : "href";
    String destination = attributes.get(attribute);
    if (destination != null) {
      Link.of(page.source(), destination)
          .ifPresent(link -> attributes.put(attribute, link.href(page.target())));
    }
  }

  private static final class Blocks implements NodeRenderer {
    private final HtmlNodeRendererContext context;
    private final HtmlWriter html;
    private final Map<Node, String> anchors;

    Blocks(HtmlNodeRendererContext context, Map<Node, String> anchors) {
      this.context = context;
      this.html = context.getWriter();
      this.anchors = anchors;
    }

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
      return Set.of(Heading.class, FencedCodeBlock.class);
    }

    @Override
    public void render(Node node) {
      html.line();
      if (node instanceof FencedCodeBlock block) {
        code(block);
      } else if (node instanceof Heading heading) {
        heading(heading);
      }
      html.line();
    }

    private void code(FencedCodeBlock block) {
      String language = block.getInfo() == null ? "" : block.getInfo();
      if (language.equals("mermaid")) {
        html.raw(
            "<pre class=\"mermaid\" tabindex=\"0\">" + Html.escape(block.getLiteral()) + "</pre>");
      } else {
        html.raw("<div class=\"code\"><pre tabindex=\"0\"><code>");
        html.raw(Highlighter.html(language, block.getLiteral()) + "</code></pre></div>");
      }
    }

    private void heading(Heading heading) {
      String anchor = anchors.get(heading);
      if (anchor == null) {
        new CoreHtmlNodeRenderer(context).visit(heading);
        return;
      }
      String tag = "h" + heading.getLevel();
      html.tag(tag, Map.of("id", anchor));
      for (Node child = heading.getFirstChild(); child != null; child = child.getNext()) {
        context.render(child);
      }
      html.raw("<a class=\"anchor\" href=\"#" + anchor + "\" aria-label=\"Link to this section\">");
      html.raw("#</a>");
      html.tag("/" + tag);
    }
  }
}
