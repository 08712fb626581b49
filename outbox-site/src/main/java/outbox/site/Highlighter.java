package outbox.site;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Marks comments, texts and keywords of a code block. */
final class Highlighter {
  private static final String STRING = "(?<string>\"(?:\\\\.|[^\"\\\\\n])*\")";
  private static final String SQL_STRING = "(?<string>'(?:''|[^'])*')";

  private static final Map<String, Pattern> LANGUAGES =
      Map.of(
          "java",
          Pattern.compile(
              "(?<comment>//[^\n]*|/\\*(?s:.*?)\\*/)|"
                  + STRING
                  + "|(?<mark>@\\w+)|\\b(?<keyword>abstract|boolean|byte|case|catch|class|default|do"
                  + "|double|else|enum|extends|final|finally|float|for|if|implements|import|instanceof"
                  + "|int|interface|long|new|null|package|private|protected|public|record|return|static"
                  + "|super|switch|this|throw|throws|true|false|try|var|void|while)\\b"),
          "sql",
          Pattern.compile(
              "(?<comment>--[^\n]*)|"
                  + SQL_STRING
                  + "|(?<mark>(?!))|(?i:\\b(?<keyword>select|from|where|and|or|not|insert|into|values"
                  + "|update|set|delete|create|alter|drop|table|index|view|on|as|join|left|order|group"
                  + "|by|limit|is|null|in|between|begin|commit|rollback|call|exec|grant|revoke|to|role"
                  + "|execute|function|procedure|schema|primary|key|default|interval|declare|with|for"
                  + "|skip|locked|case|when|then|else|end|now)\\b)"),
          "python",
          Pattern.compile(
              "(?<comment>#[^\n]*)|(?<string>\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*')"
                  + "|(?<mark>@\\w+)|\\b(?<keyword>def|return|import|from|as|with|while|for|in|if|elif"
                  + "|else|try|except|raise|not|and|or|None|True|False|class|break|continue)\\b"),
          "xml",
          Pattern.compile(
              "(?<comment><!--(?s:.*?)-->)|"
                  + STRING
                  + "|(?<mark>(?!))|(?<keyword></?[\\w:.-]+|/?>)"),
          "properties",
          Pattern.compile(
              "(?<comment>(?m:^[ \t]*[#!][^\n]*))|(?<string>(?!))|(?<mark>(?!))"
                  + "|(?<keyword>(?m:^[\\w.\\[\\]-]+(?=[ \t]*[=:])))"),
          "sh",
          Pattern.compile(
              "(?<comment>(?m:(?<=^|\\s)#[^\n]*))|(?<string>\"(?:\\\\.|[^\"\\\\])*\"|'[^']*')"
                  + "|(?<mark>(?!))|(?<keyword>(?m:^\\$ ))"));

  private Highlighter() {}

  /** Returns the code in HTML; as it is if the language is unknown. */
  static String html(String language, String code) {
    Pattern tokens =
        LANGUAGES.get(
            switch (language) {
              case "console", "bash", "shell" -> "sh";
              case "html" -> "xml";
              case "yaml", "yml" -> "properties";
              default -> language;
            });
    if (tokens == null) {
      return Html.escape(code);
    }
    StringBuilder html = new StringBuilder();
    Matcher token = tokens.matcher(code);
    int end = 0;
    while (token.find()) {
      html.append(Html.escape(code.substring(end, token.start())));
      html.append("<span class=\"").append(kind(token)).append("\">");
      html.append(Html.escape(token.group())).append("</span>");
      end = token.end();
    }
    return html.append(Html.escape(code.substring(end))).toString();
  }

  private static String kind(Matcher token) {
    if (token.group("comment") != null) {
      return "comment";
    }
    if (token.group("string") != null) {
      return "string";
    }
    return token.group("mark") != null ? "mark" : "keyword";
  }
}
