// SPDX-License-Identifier: MIT
#include "support/reference.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("reference: every file in tests/data is read to its end, and every case has what a test needs") {
    std::size_t files = 0;
    for (auto const& entry : std::filesystem::directory_iterator(TAPELESS_TEST_DATA)) {
        if (entry.path().extension() != ".txt") continue;
        ++files;
        auto const cases = reference::read(entry.path().string());
        CHECK_FALSE(cases.empty());
        for (auto const& c : cases) {
            INFO(c.id);
            REQUIRE_FALSE(c.op.empty());
            REQUIRE_FALSE(c.inputs.empty());
            REQUIRE(c.rtol > 0);
            for (auto const& name : c.inputs)
                if (c.has("in", name) && c.tensors.contains("grad")) REQUIRE(c.grad(name).shape == c.in(name).shape);
        }
    }
    CHECK(files >= 10);
}

TEST_CASE("reference: a case is read with its parameters, shapes and values") {
    auto const c = reference::cases("unary", "neg").front();
    CHECK(c.id == "unary/neg/000");
    CHECK(c.in("x").shape == std::vector<std::int64_t>{3, 4});
    CHECK(c.in("x").values[1] == 0.2352);
    CHECK(c.out().values[1] == -0.2352);
    CHECK(c.grad("x").values[0] == -c.cot().values[0]);
    CHECK_THROWS(reference::cases("unary", "no such operation"));
    for (auto const& p : reference::cases("unary", "affine")) CHECK_FALSE(p.parameters.empty());
}

TEST_CASE("reference: arrays by formula, and long results by their sums and some of their elements") {
    auto const path = std::filesystem::temp_directory_path() / "tapeless_fill_reference.txt";
    std::ofstream(path)
        << "gradref 1 x\ncase a\nop neg\nfill x f64 1 4 3 2\nfillconst i i64 1 4 3 10\ntol 1e-10 1e-12\n"
           "stat out y f64 2 2 2 10 10 3 0\nsample out y 0 1\nsample out y 3 4\nend\neof 1\n";
    auto c = reference::read(path.string()).at(0);
    std::filesystem::remove(path);
    CHECK(c.inputs == std::vector<std::string>{"x", "i"});
    std::vector<double> const x{0.38048892190988925, -0.21467105717088464, 0.504690326457921, -0.7551510594108017};
    CHECK(c.in("x").values == x);
    for (double v : c.in("i").values) CHECK((v >= 0 && v < 10 && v == std::floor(v)));

    std::vector<double> y{1, 2, 3, 4};
    auto expected = c.out("y");
    expected.in_short->dot = (x[0] + 2 * x[1] + 3 * x[2] + 4 * x[3]) / 2;
    CHECK(reference::check_close(expected, y, c, "y") == "");
    CHECK(reference::check_close(expected, std::vector<double>{1, 2, 4}, c, "y") == "a y: 3 elements, expected 4");
    CHECK(reference::check_close(expected, std::vector<double>{1, 2, 3, 5}, c, "y") == "a y[3] is 5, expected 4");
    CHECK(reference::check_close(expected, std::vector<double>{1, 2, 4, 4}, c, "y").find("its sum") !=
          std::string::npos);
    CHECK(reference::check_close(expected, std::vector<double>{1, 6, -1, 4}, c, "y").find("absolute") !=
          std::string::npos);
    CHECK(reference::check_close(expected, std::vector<double>{1, 3, 2, 4}, c, "y").find("weighted") !=
          std::string::npos);
}

TEST_CASE("reference: float cases hold floats") {
    for (auto const& c : reference::family("unary_f32"))
        for (double v : c.in(c.inputs[0]).values)
            if (std::isfinite(v)) REQUIRE(v == static_cast<double>(static_cast<float>(v)));
}

TEST_CASE("reference: a line with a value missing is an error that names the line") {
    auto const path = std::filesystem::temp_directory_path() / "tapeless_short_reference.txt";
    std::ofstream(path) << "gradref 1 x\ncase a\nop neg\nin x f64 1 3 1 2\nend\neof 1\n";
    std::string message;
    try {
        reference::read(path.string());
    } catch (std::exception const& error) { message = error.what(); }
    std::filesystem::remove(path);
    CHECK(message.find(":4: ") != std::string::npos);
}

TEST_CASE("reference: check_close names the first element that differs") {
    double const inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    reference::tensor const e{"f64", {2, 3}, {1, 2, inf, nan, 5, 6}};
    std::vector<double> a = {1, 2, inf, nan, 5, 6};
    CHECK(reference::check_close(e, a.data(), 6, 1e-10, 0, "y") == "");
    CHECK(reference::check_close(e, a.data(), 5, 1e-10, 0, "y") == "y: 5 elements, expected 6");
    a[4] = 5.5;
    a[2] = -inf;
    CHECK(reference::check_close(e, a.data(), 6, 1e-10, 0, "y") ==
          "y(0, 2) is -inf, expected inf; 2 of 6 elements differ");
    a[2] = inf;
    CHECK(reference::check_close(e, a.data(), 6, 0.2, 0, "y") == "");
    a[3] = 0;
    CHECK(reference::check_close(e, a.data(), 6, 0.2, 0, "y") == "y(1, 0) is 0, expected nan; 1 of 6 elements differ");
}
