#include "plr/report/table_formats.h"

#include <fmt/format.h>

#include <cmath>

#include "plr/report/escaping.h"
#include "plr/report/number_format.h"

namespace plr::report {
namespace {

// The cell's content without bold print and marks; a dash if it is empty.
std::string content(const Cell& cell, int decimals, const char* plus_minus) {
  if (!cell.text.empty()) return cell.text;
  if (cell.value.count == 0) return "-";
  const std::string mean = decimal(cell.value.mean, decimals);
  if (cell.value.count == 1 || !std::isfinite(cell.value.mean)) return mean;
  return mean + plus_minus + decimal(cell.value.deviation, decimals);
}

std::string latex_cell(const Cell& cell, int decimals) {
  if (!cell.text.empty()) {
    const std::string text = latex_escaped(cell.text);
    return cell.is_bold ? "\\textbf{" + text + "}" : text;
  }
  if (cell.value.count == 0) return "--";
  const std::string number = content(cell, decimals, "\\pm");
  std::string math = cell.is_bold ? "\\mathbf{" + number + "}" : number;
  if (cell.has_star || cell.has_triangle) {
    math += std::string("^{") + (cell.has_star ? "\\star" : "") +
            (cell.has_triangle ? "\\triangle" : "") + "}";
  }
  return "$" + math + "$";
}

std::string marks(const Cell& cell) {
  return std::string(cell.has_star ? " ★" : "") + (cell.has_triangle ? " ▲" : "");
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string csv = "name,column,mean,deviation,runs,text,bold,star,triangle\n";
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      csv += fmt::format(
          "{},{},{},{},{},{},{:d},{:d},{:d}\n", csv_quoted(row.name), csv_quoted(table.columns[i]),
          cell.value.count > 0 ? csv_number(cell.value.mean) : "",
          cell.value.count > 1 ? csv_number(cell.value.deviation) : "", cell.value.count,
          csv_quoted(cell.text), cell.is_bold, cell.has_star, cell.has_triangle);
    }
  }
  return csv;
}

std::string to_markdown(const Table& table) {
  std::string text = "| |";
  for (const std::string& column : table.columns) text += " " + markdown_escaped(column) + " |";
  text += "\n|---|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---:|";
  text += "\n";
  for (const Row& row : table.rows) {
    text += "| " + markdown_escaped(row.name) + " |";
    for (const Cell& cell : row.cells) {
      const std::string inner = content(cell, row.decimals, " ± ");
      text += " " + (cell.is_bold ? "**" + inner + "**" : inner) + marks(cell) + " |";
    }
    text += "\n";
  }
  return text + "\n" + table.note + "\n";
}

std::string to_latex(const Table& table) {
  std::string text = "% " + table.title + ".  " + table.note + "\n";
  text += "\\begin{tabular}{l" + std::string(table.columns.size(), 'r') + "}\n\\toprule\n";
  for (const std::string& column : table.columns) text += " & " + latex_escaped(column);
  text += " \\\\\n\\midrule\n";
  for (const Row& row : table.rows) {
    if (row.is_total) text += "\\midrule\n";
    text += latex_escaped(row.name);
    for (const Cell& cell : row.cells) text += " & " + latex_cell(cell, row.decimals);
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string to_html(const Table& table) {
  std::string html =
      fmt::format("<h3>{}</h3>\n<div class=\"table\"><table id=\"table-{}\">\n<thead><tr><th></th>",
                  html_escaped(table.title), table.id);
  for (const std::string& column : table.columns) {
    html += "<th scope=\"col\">" + html_escaped(column) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const Row& row : table.rows) {
    html += row.is_total ? "<tr class=\"total\">" : "<tr>";
    html += "<th scope=\"row\">" + html_escaped(row.name) + "</th>";
    for (const Cell& cell : row.cells) {
      const std::string inner = html_escaped(content(cell, row.decimals, " ± "));
      html += "<td>" + (cell.is_bold ? "<b>" + inner + "</b>" : inner);
      if (cell.has_star || cell.has_triangle) html += "<sup>" + marks(cell) + "</sup>";
      html += "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n<p class=\"note\">" + html_escaped(table.note) + "</p>\n";
}

}  // namespace plr::report
