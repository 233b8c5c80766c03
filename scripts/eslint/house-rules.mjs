// Rules of this repository that no package has: an ESLint plugin of two small rules.

/** Every exported declaration has a docstring. Overloads and re-exports are covered by the first, or by the source. */
const exportedDocstring = {
  meta: {
    type: "suggestion",
    docs: { description: "require a docstring on every exported declaration" },
    messages: { missing: "Exported {{ what }} needs a docstring: what it is, shapes, units, errors." },
    schema: [],
  },
  create(context) {
    const { sourceCode } = context;
    const documented = new Set();

    function check(node, declaration) {
      const names = namesOf(declaration);
      const comment = sourceCode.getCommentsBefore(node).at(-1);
      const hasDocstring =
        comment?.type === "Block" &&
        comment.value.startsWith("*") &&
        /\w/.test(comment.value) &&
        touches(comment, node);
      if (hasDocstring) names.forEach((name) => documented.add(name));
      else if (names.some((name) => !documented.has(name))) {
        context.report({ node: declaration, messageId: "missing", data: { what: names.join(", ") } });
      }
    }

    function touches(comment, node) {
      return node.loc.start.line - comment.loc.end.line <= 1;
    }

    return {
      ExportNamedDeclaration(node) {
        if (node.declaration) check(node, node.declaration);
      },
      ExportDefaultDeclaration(node) {
        check(node, node.declaration);
      },
    };
  },
};

/** The names a declaration makes. */
function namesOf(declaration) {
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.map(({ id }) => (id.type === "Identifier" ? id.name : "value"));
  }
  return [declaration.id?.name ?? "default"];
}

const DIRECTIVE = /^\s*eslint-(disable|enable)(?:-next-line|-line)?\b([\s\S]*)$/;

/** An exception names the rules it is about and says why: `eslint-disable-next-line the-rule -- the reason`. */
const explainedException = {
  meta: {
    type: "problem",
    docs: { description: "require a rule name and a reason in every eslint-disable comment" },
    messages: {
      blanket: "Name the rules this exception is about.",
      reason: "Say why: eslint-disable-next-line the-rule -- the reason.",
    },
    schema: [],
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const match = DIRECTIVE.exec(comment.value);
          if (match === null || match[1] === "enable") continue;
          const [rules, reason = ""] = match[2].split(/\s-{2,}\s/u);
          // Reported above the first line: at its own place a blanket exception would silence its own report.
          const loc = { line: 0, column: -1 };
          if (rules.trim() === "") context.report({ loc, messageId: "blanket" });
          else if (reason.trim() === "") context.report({ loc: comment.loc, messageId: "reason" });
        }
      },
    };
  },
};

export default {
  meta: { name: "house-rules" },
  rules: { "exported-docstring": exportedDocstring, "explained-exception": explainedException },
};
