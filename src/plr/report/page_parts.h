// The static parts of the page: the files of page/ and third_party/uplot/.
//
// They are embedded into the program at build time (cmake/EmbedText.cmake), so the page needs
// neither a network nor an installation. Immutable; thread-safe.
#pragma once

#include <string_view>

namespace plr::report {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageChartsJs;
extern const std::string_view kPageSectionsJs;
extern const std::string_view kPageJs;
extern const std::string_view kChartCss;
extern const std::string_view kChartJs;

}  // namespace plr::report
