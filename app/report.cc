// plr report: tables, figures and a page that compare runs.
#include "app/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/plugin_option.h"
#include "app/report_watch.h"
#include "app/verbs.h"
#include "plr/base/counted.h"
#include "plr/base/files.h"
#include "plr/report/behavior_versions.h"
#include "plr/report/evaluation_tables.h"
#include "plr/report/export.h"
#include "plr/report/page.h"
#include "plr/report/paper_page.h"
#include "plr/report/paper_tables.h"
#include "plr/report/statistics_json.h"
#include "plr/report/table_formats.h"
#include "plr/run/layout.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> folders;
  std::vector<std::string> compare;
  std::string baseline;
  std::string out;
  std::string export_folder;
  std::string title;
  std::string paper;                // folder of experiments
  std::vector<std::string> update;  // documents with tables of `paper`
  bool json = false;
  bool watch = false;
  std::optional<int> port;  // of --watch
};

std::string page_title(const std::vector<std::string>& folders) {
  std::string title;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder).lexically_normal();
    const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
    title += (title.empty() ? "" : ", ") + name.string();
  }
  return title;
}

report::FoundRuns readable_runs(const std::vector<fs::path>& folders) {
  report::FoundRuns found = report::find_runs(folders);
  if (found.runs.empty()) {
    throw std::runtime_error(fmt::format("nothing to report: {}", fmt::join(found.problems, "; ")));
  }
  return found;
}

void print_problems(const report::FoundRuns& found) {
  for (const std::string& problem : found.problems)
    terminal::print(stderr, "left out: {}\n", problem);
  for (const report::RunData& run : found.runs) {
    for (const std::string& remark : run.remarks) {
      terminal::print(stderr, "{}: {}\n", run.folder.string(), remark);
    }
  }
  const std::string mixed = report::mixed_versions_warning(found.runs);
  if (!mixed.empty()) terminal::print(stderr, "{}\n", mixed);
}

// No document is written if one of them is wrong.
void update_documents(const std::vector<std::string>& files,
                      const report::PaperComparison& comparison) {
  std::vector<std::string> texts;
  for (const std::string& file : files) {
    texts.push_back(report::with_current_tables(read_text(file), file, comparison));
  }
  for (std::size_t i = 0; i < files.size(); ++i) write_output(files[i], texts[i]);
}

void report_paper(const ReportArguments& arguments) {
  const report::PaperComparison comparison = report::compare_with_paper(arguments.paper);
  for (const std::string& line : comparison.left_out) {
    terminal::print(stderr, "left out: {}\n", line);
  }
  update_documents(arguments.update, comparison);
  if (!arguments.out.empty()) {
    write_output(arguments.out, report::paper_page(comparison));
  } else if (arguments.update.empty()) {
    terminal::print("{}", report::paper_page(comparison));
  }
}

report::PageOptions page_options(const ReportArguments& arguments) {
  report::PageOptions options{
      .title = arguments.title.empty() ? page_title(arguments.folders) : arguments.title,
      .version = PLR_VERSION};
  if (!arguments.compare.empty()) {
    if (arguments.compare[0] == arguments.compare[1]) {
      throw std::invalid_argument("--compare takes two methods, not " + arguments.compare[0] +
                                  " twice");
    }
    options.compare = {.a = arguments.compare[0], .b = arguments.compare[1]};
  }
  return options;
}

void watch(const ReportArguments& arguments) {
  for (const std::string& folder : arguments.folders) {
    if (!fs::is_directory(folder)) {
      throw std::runtime_error("there is no folder " + folder + "; start the run first");
    }
  }
  watch_runs({arguments.folders.begin(), arguments.folders.end()},
             {.page = page_options(arguments), .baseline = arguments.baseline}, arguments.port);
}

void report(const ReportArguments& arguments) {
  if (!arguments.paper.empty()) return report_paper(arguments);
  if (arguments.folders.empty()) throw CLI::RequiredError("DIR");
  if (arguments.watch) return watch(arguments);
  const report::FoundRuns found =
      readable_runs({arguments.folders.begin(), arguments.folders.end()});
  const report::Analysis analysis = report::analyze(found.runs, arguments.baseline);
  const report::PageOptions options = page_options(arguments);
  const std::vector<report::Table> tables = report::report_tables(analysis, options.compare);
  print_problems(found);
  if (!arguments.export_folder.empty()) {
    report::export_report(arguments.export_folder, found.runs, analysis, options.compare);
  }
  if (arguments.json) {
    terminal::print("{}\n", report::statistics_json(found.runs, analysis, options.compare)
                                .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    if (arguments.out.empty()) return;
  }
  const std::string page = report::html_page(found, analysis, options);
  fs::path out = arguments.out;
  if (arguments.out.empty()) {
    out = fs::path(arguments.folders.front()) / run::layout::kReport;
    write_text(out, page);
  } else {
    write_output(out, page);
  }
  if (arguments.json) return;
  std::vector<report::Table> printed = report::evaluation_tables(found.runs, analysis);
  printed.push_back(tables.front());
  for (const report::Table& table : printed) {
    terminal::print("{}\n{}\n", table.title, report::to_markdown(table));
  }
  terminal::print("{} in {}\n", counted(found.runs.size(), "run"), out.string());
}

}  // namespace

fs::path write_page(const fs::path& folder) {
  const report::FoundRuns found = readable_runs({folder});
  const fs::path out = folder / run::layout::kReport;
  write_text(out,
             report::html_page(found, report::analyze(found.runs),
                               {.title = page_title({folder.string()}), .version = PLR_VERSION}));
  return out;
}

void add_report(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = program.add_subcommand("report", "compare runs: tables, figures, one page");
  verb->footer(
      "Examples:\n"
      "  plr report runs/NAME                            a page about one run, also while it "
      "trains\n"
      "  plr report runs --compare plr uniform           all runs, and a comparison of two "
      "methods\n"
      "  plr report runs --export figures                tables as CSV, Markdown and LaTeX, "
      "figures "
      "as SVG\n"
      "  plr report runs --watch                         a page that follows the runs while they "
      "train\n"
      "  plr report runs --json                          statistics and tests as JSON\n"
      "  plr report --paper experiments                  the paper's tables beside exported "
      "results");
  CLI::Option* paper =
      verb->add_option("--paper", arguments->paper,
                       "compare the paper's tables with the results in this folder of experiments; "
                       "Markdown, printed unless --out or --update")
          ->type_name("DIR");
  verb->add_option("--update", arguments->update,
                   "of --paper: a Markdown document whose tables between the comments <!-- paper "
                   "table: ... --> and <!-- end of paper table --> are made current; repeatable")
      ->needs(paper)
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb->add_option("DIR", arguments->folders,
                   "folders of runs or folders that contain some, or folders of exported results")
      ->excludes(paper);
  verb->add_option("--compare", arguments->compare, "two methods, named as in the tables")
      ->excludes(paper)
      ->expected(2)
      ->type_name("A B");
  verb->add_option("--baseline", arguments->baseline,
                   "the method that others are compared with (uniform)")
      ->excludes(paper)
      ->type_name("METHOD");
  add_plugin_option(*verb);
  verb->add_option("--out", arguments->out, "the page (report.html in the first folder)")
      ->type_name("FILE");
  verb->add_option("--export", arguments->export_folder,
                   "write tables and figures for papers into this folder too")
      ->excludes(paper)
      ->type_name("DIR");
  verb->add_option("--title", arguments->title, "title of the page (the names of the folders)")
      ->excludes(paper)
      ->type_name("TEXT");
  verb->add_flag("--json", arguments->json, "print the statistics as JSON; no page unless --out")
      ->excludes(paper);
  CLI::Option* watch =
      verb->add_flag("--watch", arguments->watch,
                     "serve the page on 127.0.0.1 and refresh it while the runs train; Ctrl-C ends")
          ->excludes(paper);
  for (const char* name : {"--out", "--export", "--json"}) {
    watch->excludes(verb->get_option(name));
  }
  verb->add_option("--port", arguments->port, "of --watch (the first free one from 8600 on)")
      ->needs(watch)
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT");
  verb->callback([arguments] { report(*arguments); });
}

}  // namespace plr::app
